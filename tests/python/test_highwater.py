"""The Python module: scenarios, graphs in files, and, where torch is, modules.

`cargo xtask wheel --test` runs it in a fresh environment into which the wheel is installed; `cargo xtask test python` without.
"""
import contextlib
import importlib.util
import io
import json
import os
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

import highwater
from highwater._engine import program

GRAPHS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../fixtures/exported")


def command_line(scenario, folder=None):
    """The command line's own answer."""
    done = subprocess.run([program(), "estimate"], input=json.dumps(scenario).encode(), capture_output=True, cwd=folder)
    return json.loads(done.stdout)


class Scenarios(unittest.TestCase):
    def test_a_name_and_settings_are_a_scenario(self):
        report = highwater.estimate("qwen2.5-0.5b", seq_len=64, batch_size=2, gpu="rtx-4090", optimizer="sgd", **{"lora.r": 8})
        scenario = {"model": "qwen2.5-0.5b", "seq_len": 64, "micro_batch_size": 2, "hardware": {"gpu": "rtx-4090"},
                    "optimizer": {"name": "sgd"}, "lora": {"r": 8}}
        self.assertEqual(report.scenario, scenario)
        self.assertEqual(report.data, command_line(scenario))
        self.assertEqual(report.link, "?v=1&model=qwen2.5-0.5b&seq=64&opt=sgd&lora=8&lora_targets=q_proj,v_proj&gpu=rtx-4090")

    def test_a_dict_is_a_scenario_that_stays_as_it_is(self):
        scenario = {"model": "qwen2.5-0.5b", "seq_len": 64, "hardware": {"gpu": "rtx-4090"}}
        before = json.dumps(scenario)
        report = highwater.estimate(scenario, gpu="h100-80gb", precision="bf16")
        self.assertEqual(json.dumps(scenario), before)
        self.assertEqual(report.data, command_line({**scenario, "hardware": {"gpu": "h100-80gb"}, "precision": "bf16"}))

    def test_attributes_are_of_the_answer(self):
        report = highwater.estimate("qwen2.5-0.5b", seq_len=64)
        device = report.data["device"]
        self.assertTrue(report.fits)
        self.assertEqual((report.total, report.capacity), (device["total"], device["usable"]))
        peak = device["steady_step"]["peak"]
        self.assertEqual((report.tensors, report.allocated, report.reserved, report.phase),
                         (peak["peak_tensor"], peak["peak_allocated"], peak["peak_reserved"], peak["phase"]))
        self.assertEqual(report.host, report.data["host"]["peak"]["total"])
        self.assertEqual(report.parameters, 494_032_768)
        self.assertIn("fits>", repr(report))

    def test_a_job_that_does_not_fit_is_an_answer_too(self):
        report = highwater.estimate("llama-3.1-8b", gpu="rtx-4090")
        self.assertFalse(report.fits)
        self.assertIn("Does not fit", str(report))
        self.assertEqual(report.largest(), 0)
        self.assertGreater(report.again(gpu="b200", optimizer="sgd", precision="bf16").largest(), 0)

    def test_print_and_a_notebook_show_it(self):
        report = highwater.estimate("qwen2.5-0.5b", seq_len=64)
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            print(report)
        self.assertTrue(said.getvalue().startswith("Qwen2.5 0.5B (494,032,768 parameters) on "))
        page = report._repr_html_()
        self.assertIn("<svg", page)
        self.assertIn("backward", report.svg)

    def test_the_page_has_an_address_where_one_is_said(self):
        with mock.patch.dict(os.environ, HIGHWATER_URL="https://example.org/highwater/"):
            link = highwater.estimate("qwen2.5-0.5b", seq_len=64).link
        self.assertEqual(link, "https://example.org/highwater/?v=1&model=qwen2.5-0.5b&seq=64")

    def test_what_is_refused_is_said(self):
        with self.assertRaisesRegex(highwater.Error, "no model"):
            highwater.estimate("no-such-model")
        with self.assertRaisesRegex(highwater.Error, "Did you mean seq_len"):
            highwater.estimate("qwen2.5-0.5b", seq_length=64)
        with self.assertRaises(highwater.Error):
            highwater.estimate("nowhere.pt2")

    def test_a_graph_in_a_file(self):
        path = os.path.join(GRAPHS, "own.mlp.pt2")
        report = highwater.estimate(path, micro_batch_size=16, loss="cross_entropy", optimizer={"name": "sgd", "momentum": 0.9})
        scenario = {"model": {"exported": "own.mlp.pt2"}, "micro_batch_size": 16, "loss": "cross_entropy", "precision": "amp_bf16",
                    "optimizer": {"name": "sgd", "momentum": 0.9}}
        self.assertEqual(report.data, command_line(scenario, GRAPHS))
        self.assertGreater(report.again(micro_batch_size=32).tensors, report.tensors)

    def test_a_graph_that_comes_along_has_a_name(self):
        report = highwater.estimate("yolov8n", micro_batch_size=16, precision="amp_bf16", gpu="rtx-4090")
        self.assertEqual(report.parameters, 3_157_200)
        self.assertGreater(report.largest(), 16)

    def test_the_module_is_the_command_line(self):
        done = subprocess.run([sys.executable, "-m", "highwater", "--version"], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout.split()[0]), (0, "highwater"))


@unittest.skipUnless(importlib.util.find_spec("torch"), "there is no torch")
class Modules(unittest.TestCase):
    """Estimates of modules are those of the command line for their graphs."""

    def compare(self, model, args=(), kwargs=None, **settings):
        report = highwater.estimate(model, args, kwargs, gpu="rtx-4090", **settings)
        self.assertEqual(report.parameters, sum(p.numel() for p in model.parameters()))
        dynamic = settings.pop("dynamic", ())
        with tempfile.TemporaryDirectory() as folder:
            name = type(model).__name__ + ".pt2"
            for weights in (False, True):
                highwater.export(model, args, kwargs, os.path.join(folder, name), dynamic=dynamic, weights=weights)
                scenario = {"model": {"exported": name}, "optimizer": {"name": "adamw"}, "precision": "amp_bf16",
                            "micro_batch_size": report.scenario["micro_batch_size"], "hardware": {"gpu": "rtx-4090"}, **settings}
                self.assertEqual(report.data, command_line(scenario, folder))
        return report

    def test_a_network_of_ones_own(self):
        import torch
        from torch import nn

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.stem = nn.Sequential(nn.Conv2d(3, 32, 3, padding=1), nn.BatchNorm2d(32), nn.ReLU(inplace=True))
                self.more = nn.Sequential(nn.Conv2d(32, 64, 3, 2, 1), nn.BatchNorm2d(64), nn.ReLU(), nn.Dropout(0.1))
                self.head = nn.Linear(64, 10)

            def forward(self, x):
                return self.head(self.more(self.stem(x)).mean((2, 3)))

        report = self.compare(Net(), (torch.zeros(8, 3, 32, 32),), loss="cross_entropy")
        self.assertEqual(report.scenario["micro_batch_size"], 8)
        self.assertIn("graph=Net.pt2", report.link)
        self.assertGreater(report.largest(), 8)
        one = highwater.estimate(Net(), (torch.zeros(1, 3, 32, 32),), loss="cross_entropy", gpu="rtx-4090")
        self.assertEqual(one.again(micro_batch_size=8).tensors, report.tensors)
        frozen = Net()
        frozen.stem.requires_grad_(False)
        training = frozen.training
        self.assertLess(self.compare(frozen, (torch.zeros(8, 3, 32, 32),), loss="cross_entropy").tensors, report.tensors)
        self.assertEqual(frozen.training, training)

    def test_layers_of_torch_with_an_open_length(self):
        import torch
        from torch import nn

        layer = nn.TransformerEncoderLayer(64, 4, 256, batch_first=True)
        report = self.compare(nn.TransformerEncoder(layer, 2, enable_nested_tensor=False), (torch.zeros(3, 24, 64),), loss="mse",
                              dynamic=(1,))
        self.assertGreater(report.again(symbols={"src.1": 48}).tensors, report.tensors)

    def test_tied_weights_are_one(self):
        import torch
        from torch import nn

        class Tied(nn.Module):
            def __init__(self):
                super().__init__()
                self.words, self.out = nn.Embedding(1000, 64), nn.Linear(64, 1000, bias=False)
                self.out.weight = self.words.weight

            def forward(self, ids):
                return self.out(self.words(ids)).flatten(0, 1).logsumexp(1).mean()

        self.compare(Tied(), (torch.zeros(3, 24, dtype=torch.long),), dynamic={"ids": (1,)})

    @unittest.skipUnless(importlib.util.find_spec("transformers"), "there is no transformers")
    def test_a_model_of_transformers_by_keywords_equals_its_family(self):
        import torch
        import transformers

        sizes = dict(vocab_size=16000, hidden_size=256, intermediate_size=704, num_hidden_layers=2, num_attention_heads=4,
                     num_key_value_heads=2, tie_word_embeddings=True)
        config = transformers.Qwen2Config(**sizes)
        ids = torch.zeros(3, 24, dtype=torch.long)
        kwargs = dict(input_ids=ids, labels=ids, use_cache=False)
        report = self.compare(transformers.Qwen2ForCausalLM(config), (), kwargs, dynamic=(1,), precision="fp32")
        by_name = highwater.estimate({"model": {"hf_config": config.to_dict()}}, gpu="rtx-4090", seq_len=24, micro_batch_size=3,
                                     optimizer="adamw", precision="fp32")
        self.assertEqual(report.parameters, by_name.parameters)
        self.assertEqual(report.tensors, by_name.tensors)

    @unittest.skipUnless(importlib.util.find_spec("torchvision"), "there is no torchvision")
    def test_a_model_of_torchvision(self):
        import torch
        import torchvision

        self.compare(torchvision.models.resnet18(), (torch.zeros(3, 3, 64, 64),), loss="cross_entropy", convolutions="native")

    def test_a_name_that_is_no_input_is_told(self):
        import torch

        with self.assertRaisesRegex(ValueError, "lables"):
            highwater.export(torch.nn.Linear(4, 4), (torch.zeros(3, 4),), path=os.devnull, dynamic={"lables": (1,)})


if __name__ == "__main__":
    unittest.main()
