"""A vLLM that computes nothing, below TRL's own `VLLMGeneration` (`vllm_mode="colocate"`): it holds what vllm 0.31.0 would hold by its sources and by what its
logs say of CUDA graphs, wakes, sleeps, and gives as many tokens as it may. What this cannot say is how much a real one takes; all that TRL does around it is real."""
import math
from types import SimpleNamespace

MIB = 1 << 20
STAYS = 368 * MIB + 164 * MIB  # CUDA graphs, and what kernels take outside of PyTorch


def installed(objective, parameters):
    """`VLLMGeneration` of a trainer whose model has so many parameters without adapters makes this one."""
    import torch, trl.generation.vllm_generation as generation
    asked, recorder = objective.asked, objective.recorder

    def held(count):
        tensor = torch.empty(count, dtype=torch.uint8, device="cuda")
        recorder.see("vllm", [tensor])
        return tensor

    class LLM:
        def __init__(self, gpu_memory_utilization, max_num_seqs, max_num_batched_tokens, enable_sleep_mode, **_):
            config = objective.model_config
            torch.cuda.empty_cache()
            share = math.ceil(asked["hardware"]["gpu_memory"] * gpu_memory_utilization)
            prompt = asked["seq_len"] - objective.objective["completion_tokens"]
            tokens = min(max_num_batched_tokens, max_num_seqs * prompt)
            self.activations = [tokens * 3 * config.intermediate_size * 2, tokens * 2 * config.hidden_size * 2, max_num_seqs * config.vocab_size * 26]
            self.weights = parameters() * 2
            self.cache = share - self.weights - sum(self.activations) - STAYS
            assert self.cache > 0, "No available memory for the cache blocks."
            self.stays = held(STAYS)
            self.awake = {}
            self.wake_up(["weights", "kv_cache"])
            model = SimpleNamespace(load_weights=lambda weights: None)
            self.llm_engine = SimpleNamespace(model_executor=SimpleNamespace(driver_worker=SimpleNamespace(model_runner=SimpleNamespace(model=model))))

        def wake_up(self, tags):
            sizes = dict(weights=self.weights, kv_cache=self.cache)
            self.awake.update({tag: held(sizes[tag]) for tag in sizes if tag in tags})

        def sleep(self, level):
            self.awake.clear()
            torch.cuda.empty_cache()

        def reset_prefix_cache(self):
            pass

        def generate(self, prompts, sampling_params, use_tqdm):
            mlp, hidden, logits = self.activations
            states = held(hidden)
            held(mlp)
            held(logits)
            count = sampling_params["max_tokens"]
            found = SimpleNamespace(rank=1, logprob=-0.5)
            made = SimpleNamespace(token_ids=[3] * count, logprobs=[{3: found}] * count)
            return [SimpleNamespace(prompt_token_ids=prompt["prompt_token_ids"], outputs=[made]) for prompt in prompts]

    generation.LLM, generation.SamplingParams, generation.is_vllm_available = LLM, dict, lambda: True
