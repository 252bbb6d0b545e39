// Links whose opening is measured: the default page and widget, the menu's situations, and shared ones.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { runInThisContext } from "node:vm";
import { ROOT } from "./site.mjs";

/** The lines of a file of links. */
export const lines = (name) =>
  readFileSync(join(ROOT, "tests/links", name), "utf8").trim().split("\n").map((line) => JSON.parse(line));

/** The parts of the program, and those that a link needs (public/needed.js). */
export const { PARTS, needed } = runInThisContext(
  `${readFileSync(join(ROOT, "public/needed.js"))};({ PARTS, needed })`,
);

/** Of the default page and the default widget. */
export const DEFAULT_LINKS = ["", "?v=1", "?v=1&embed=1", "?v=1&lang=zh", "?v=1&mb=16&embed=1&theme=dark"];

/** Links that were published once. */
const PUBLISHED = lines("published.jsonl").map(({ link }) => `?${link.replace(/^.*\?|#.*$/g, "")}`);

/** Links as people share them. */
const SHARED = [
  "?v=1&model=llama-3.1-8b",
  "?v=1&gpu=rtx-4090&seq=1024",
  "?v=1&model=t5-base&embed=1",
  "?v=1&model=qwen3-8b&precision=bf16&ckpt=full&accum=4&clip=1",
  "?v=1&model=llama-3.1-8b&precision=amp_bf16&gpu=h100-80gb&gpus=8&dp=fsdp2&embed=1",
  "?v=1&model=qwen2.5-7b&precision=bf16&ckpt=full&lora=16&lora_targets=all-linear&quant=nf4&gpu=rtx-4090&embed=1",
  "?v=1&model=mixtral-8x7b&precision=bf16&gpus=8&dp=deepspeed_zero&zero=3&ckpt=full",
  "?v=1&model=qwen2.5-vl-7b-instruct&seq=2048&precision=bf16&ckpt=full&lora=16",
  "?v=1&model=qwen2.5-7b&objective=dpo&precision=bf16&ckpt=full&gpu=h100-80gb",
  "?v=1&model=gemma-2-2b&precision=bf16&lang=zh",
];

/** Of the menu of situations. */
const MENU = [
  "?v=1&mb=16",
  "?v=1&linear=10000x50000&mb=5000&opt=none&loss=none&keep=1",
  "?v=1&config=d_ff:3072,d_kv:64,d_model:768,dropout_rate:0.1,feed_forward_proj:relu,model_type:t5,num_decoder_layers:10,num_heads:12,num_layers:10,tie_word_embeddings:true,vocab_size:40304&task=seq2seq_lm&mb=8&seq=304&precision=amp_bf16&opt=adafactor_transformers&attn=eager&mask=1&clip=1&keep=1&data=reopened&data_size=3906250KiB&rows=4000000&workers=0&pin=0&tokenizer=unigram&load=random_init&gpu=rtx-4000-ada&ram=15625000KiB&framework=torch-2.6/transformers-4.51",
  "?v=1&config=d_ff:3072,d_kv:64,d_model:768,dropout_rate:0.1,feed_forward_proj:relu,model_type:t5,num_decoder_layers:10,num_heads:12,num_layers:10,tie_word_embeddings:true,vocab_size:40304&task=seq2seq_lm&mb=24&seq=304&precision=amp_bf16&opt=adafactor_transformers&attn=eager&mask=1&clip=1&keep=1&data=reopened&data_size=3906250KiB&rows=4000000&workers=0&pin=0&tokenizer=unigram&load=random_init&gpu=rtx-4000-ada&ram=15625000KiB&framework=torch-2.6/transformers-4.51",
  "?v=1&config=d_ff:3072,d_kv:64,d_model:768,dropout_rate:0.1,feed_forward_proj:relu,model_type:t5,num_decoder_layers:10,num_heads:12,num_layers:10,tie_word_embeddings:true,vocab_size:40304&task=seq2seq_lm&mb=32&seq=128&accum=2&precision=amp_bf16&opt=adafactor_transformers&attn=eager&mask=1&clip=1&keep=1&data=arrow_table&data_size=5800000000&rows=5800000&workers=8&tokenizer=unigram&load=random_init&gpu=rtx-4000-ada&gpus=3&ram=31250000KiB&swap=3906250KiB&framework=torch-2.6/transformers-4.51&dp=ddp&dp_size=3",
  "?v=1&config=d_ff:3072,d_kv:64,d_model:768,dropout_rate:0.1,feed_forward_proj:relu,model_type:t5,num_decoder_layers:10,num_heads:12,num_layers:10,tie_word_embeddings:true,vocab_size:40304&task=seq2seq_lm&mb=8&seq=192&precision=amp_bf16&opt=adafactor_transformers&attn=eager&mask=1&clip=1&keep=1&data=pandas&data_size=3906250KiB&rows=4000000&tokenizer=unigram&load=random_init&gpu=rtx-4000-ada&gpus=2&ram=15625000KiB&framework=torch-2.6/transformers-4.51&dp=ddp&dp_size=2",
  "?v=1&config=d_ff:3072,d_kv:64,d_model:768,dropout_rate:0.1,feed_forward_proj:relu,model_type:t5,num_decoder_layers:10,num_heads:12,num_layers:10,tie_word_embeddings:true,vocab_size:40304&task=seq2seq_lm&mb=1&seq=192&accum=8&precision=amp_bf16&opt=adafactor_transformers&attn=eager&mask=1&clip=1&keep=1&data=reopened&data_size=3906250KiB&rows=4000000&workers=0&pin=0&tokenizer=unigram&load=random_init&gpu=rtx-4000-ada&gpus=2&ram=15625000KiB&framework=torch-2.6/transformers-4.51&dp=ddp&dp_size=2&a=v%3D1%26config%3Dd_ff:3072,d_kv:64,d_model:768,dropout_rate:0.1,feed_forward_proj:relu,model_type:t5,num_decoder_layers:10,num_heads:12,num_layers:10,tie_word_embeddings:true,vocab_size:40304%26task%3Dseq2seq_lm%26mb%3D8%26seq%3D192%26precision%3Damp_bf16%26opt%3Dadafactor_transformers%26attn%3Deager%26mask%3D1%26clip%3D1%26keep%3D1%26data%3Dpandas%26data_size%3D3906250KiB%26rows%3D4000000%26tokenizer%3Dunigram%26load%3Drandom_init%26gpu%3Drtx-4000-ada%26gpus%3D2%26ram%3D15625000KiB%26framework%3Dtorch-2.6/transformers-4.51%26dp%3Dddp%26dp_size%3D2",
  "?v=1&model=gla-1.3b&mb=4&seq=1024&precision=bf16&mask=1&lora=16&lora_targets=q_proj,k_proj,v_proj,o_proj,g_proj&eval=generate&new_tokens=16&workers=8&gpu=rtx-4090&gpus=7&procs=2&ram=269500000000&framework=torch-2.6/transformers-4.51",
  "?v=1&model=gla-1.3b&seq=1024&precision=bf16&mask=1&lora=16&lora_targets=q_proj,k_proj,v_proj,o_proj,g_proj&eval=generate&new_tokens=16&workers=2&gpu=rtx-4090&gpus=7&procs_by_gpu=2,2,2,2,1,1,1&ram=269500000000&expandable=1&framework=torch-2.6/transformers-4.51&a=v%3D1%26model%3Dgla-1.3b%26mb%3D4%26seq%3D1024%26precision%3Dbf16%26mask%3D1%26lora%3D16%26lora_targets%3Dq_proj,k_proj,v_proj,o_proj,g_proj%26eval%3Dgenerate%26new_tokens%3D16%26workers%3D8%26gpu%3Drtx-4090%26gpus%3D7%26procs%3D2%26ram%3D269500000000%26framework%3Dtorch-2.6/transformers-4.51",
  "?v=1&model=llama-3.1-8b&mb=1&seq=4096&precision=bf16&ckpt=full",
  "?v=1&model=llama-3.2-1b&seq=2048&precision=bf16&impl=fused&ckpt=full&gpu=rtx-4090",
  "?v=1&model=llama-3.1-8b&mb=1&seq=8192&precision=amp_bf16&ckpt=full&clip=1&gpu=h100-80gb&gpus=8&ram=1TiB&dp=fsdp2",
  "?v=1&model=llama-3.1-8b&mb=1&seq=4096&precision=bf16&ckpt=full&gpu=rtx-4090&gpus=4&ram=256GiB&dp=deepspeed_zero&zero=3&zero_offload_opt=cpu",
  "?v=1&model=llama-3.1-8b&mb=1&seq=2048&precision=bf16&ckpt=full&lora=16&lora_targets=all-linear&gpu=rtx-4090",
  "?v=1&model=llama-3.1-8b&seq=2048&precision=bf16&opt=paged_adamw_8bit&ckpt=full&lora=16&lora_targets=all-linear&quant=nf4&quant_double=1&gpu=rtx-4090",
  "?v=1&model=llama-3.1-70b&mb=1&seq=2048&precision=bf16&opt=paged_adamw_8bit&ckpt=full&lora=16&lora_targets=all-linear&quant=nf4&quant_double=1&gpu=h100-80gb&ram=256GiB",
  "?v=1&model=llama-3.1-70b&mb=1&seq=512&precision=bf16&ckpt=full&lora=16&lora_targets=all-linear&quant=nf4&quant_double=1&gpu=rtx-4090&gpus=2&dp=fsdp1&fsdp_offload=1&wrap_leaves=1&built_on_cpu=1&lora_dtype=base&quant_storage=bfloat16",
  "?v=1&model=llama-3.1-8b&mb=1&seq=8192&accum=4&precision=amp_bf16&ckpt=full&clip=1&gpu=h100-80gb&gpus=8&ram=2TiB&dp=fsdp2&no_sync=0",
  "?v=1&model=llama-3.1-70b&mb=1&seq=8192&precision=bf16&ckpt=full&gpu=h100-80gb&gpus=8&nodes=64&ram=2TiB&dp=fsdp2&dp_size=16&tp=8&pp=4&pp_mb=8",
  "?v=1&model=t5-base&task=seq2seq_lm&mb=16&seq=512&precision=amp_bf16&gpu=rtx-4090",
  "?v=1&model=bert-base&mb=32&seq=512&precision=amp_bf16&gpu=rtx-4090",
  "?v=1&model=llava-1.5-7b-hf&mb=1&seq=1024&precision=bf16&ckpt=full&lora=16&lora_targets=q_proj,v_proj"
];

const others = (links) => [...new Set(links)].filter((link) => !DEFAULT_LINKS.includes(link));

/** All other links. */
export const LINKS = others([...MENU, ...SHARED, ...PUBLISHED]);
