//! What `highwater --help` prints.

/// How to use the program.
pub const USAGE: &str = "\
How much GPU memory and host RAM a training run takes, at which moment.

Usage:
  highwater estimate [FILE] [--table]
  highwater solve --for AXIS [FILE] [--curve] [--table]
  highwater plan [FILE] [--keep SETTING]... [--allow ADAPTERS]... [--headroom PERCENT]
                 [--gpus any] [--gpu any] [--table]
  highwater check [FILE] [--only KEY=VALUE]... [--worst N]
  highwater trace [FILE]
  highwater read [FILE]...
  highwater import [FILE]... [--set KEY=VALUE]... [--check]
  highwater export --to FORMAT [FILE]
  highwater snapshot [FILE] [--table]

  estimate   Reads one scenario, or one on each line, as JSON and writes one report for each, in
             the same order, one per line.
  --table    Writes tables, or sentences, for people instead.
  solve      Reads scenarios in the same way and writes for each the value of one axis that only
             just fits, as {\"micro_batch_size\": 16}: 0, or null, where none does.
  --for      The axis: micro_batch_size, seq_len, lora.r or another number of a scenario, gpus
             (the fewest), gpu (the smallest of the catalog) or model (the largest of its type).
  --curve    With --for gpus: what a rank, and the RAM of a node, need against their number under
             each sharding, and what does not shrink.
  plan       Reads scenarios in the same way and writes for each the plans that fit and that no other
             dominates by GPU memory, host RAM, floating-point operations and bytes sent, and why the
             other candidates are none. The model, its sequences and the samples of a step stay.
  --keep     A setting that stays: parallelism, micro_batch_size, activation_checkpointing,
             precision, optimizer, attention, loss or offload; may be repeated.
  --allow    Adapters that may be added: lora or qlora; may be repeated.
  --headroom How much of the GPU must stay free, in percent: 10 unless said.
  --gpus     With any, plans are on 1, 2, 4, ... 64 GPUs instead of as many as the scenario says.
  --gpu      With any, each plan is on the GPU of the catalog with the least memory on which it fits, and
             plans are compared by the memory that GPUs have.
  check      Reads lines of {\"scenario\": ..., \"expect\": ...} with what was measured and writes
             the table of errors.
  --only     Only cases of a group, as precision=bf16; may be repeated.
  --worst    How many of the worst cases are listed.
  trace      Writes the allocations and frees of one scenario, one event a line.
  read       Says what each text or file was taken for, with its numbers and, of a failure, what
             it was: an error or a log, a table or snapshot of memory, nvidia-smi's table, a scenario,
             a link, a config. An error beside the configuration of its job, as files or in one
             text, is explained against the job's estimate.
  import     Reads the configurations of a job (TrainingArguments, TRL, PEFT, accelerate, DeepSpeed,
             axolotl, LLaMA-Factory, torchtune, torchtitan, Megatron-LM, ms-swift, verl, OpenRLHF,
             command lines, batch scripts, a config.json), several at once, and writes the scenario
             and what became of each key.
  --set      A setting that counts more, as hardware.gpu=h100-80gb; may be repeated.
  --check    The scenario is estimated: its verdict is a line on standard error, the exit code 3 where it
             does not fit. Exit code 2 where the files name no model.
  export     Writes a scenario as a configuration, to be pasted.
  --to       The format: training-arguments, trl, llama-factory, axolotl, torchtune, torchtitan,
             megatron, peft, accelerate, deepspeed, launcher, slurm or env.
  snapshot   Writes what a snapshot of torch.cuda.memory holds: memory over time, its peaks, the
             segments then, and the largest blocks with who asked for them.

  --offline  With any command: the Hugging Face Hub is not asked for a model's config.json.

A model that the catalog lacks is a folder with its config.json, or a repository of the Hub: of its
cache on this machine (HF_HOME, HF_HUB_CACHE), else asked for (HF_ENDPOINT, HF_TOKEN, HF_HUB_OFFLINE).
Files that a configuration names are read where they lie, or beside it.
Standard input is read without FILE or with -.
Exit codes: 0 all is well; 1 check found a goal missed; 2 bad input; 3 some run does not fit its
hardware.
";
