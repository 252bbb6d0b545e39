// The parts of the program that a link needs for its first estimate, known from its text. The build cuts the program by
// this file (tests/e2e/visits.mjs): a function that ran for no other links than those that ask for a part is in that part.

/** Settings of a link that the first part knows. */
const OWN = /^(v|mb|embed|theme|lang|utm_.*)$/;

/** Settings of most links, which ask for no part of their own. */
const USUAL = /^(model|config|task|seq|mb|image|accum|precision|attn|ckpt|clip|gpus?|nodes|ram|a)$/;

/** Which settings of a link, as NAME=VALUE, ask for a part. `common` comes with each of the others, `settings` with what is
 * neither usual nor here. */
const SETTINGS = [
  ["adapters", /^(lora|quant|kbit)/],
  ["evaluation", /^eval=/],
  ["sharding", /^([cdept]p[_=]|fsdp|sharding|orig|bwd|fwd|limit_|wrap|reshard|mp_|no_sync|bucket|static|unused|comm)/],
  ["zero", /^(dp=deep|zero|reduce_|gather_|sub_|hpz|contig)/],
  ["parallel", /^(dp=mega|dist_opt|[ceptsl]p[_=]|schedule|overlap|tied|recompute)/],
  ["objectives", /^objective=/],
];

/** Which models ask for a part, the first one that fits; others need none. */
const MODELS = [
  ["images", /vl|llava|gemma-?3n?-?\w*(?<!3-1b|270m)$|gemma-?4|paligemma|idefics|internvl|vision|pixtral|mistral-small-[34]|ministral-3|mllama|mistral3/],
  ["linear_attention", /gla\b|delta|retnet|hgrn|transformer/],
  ["hybrid_attention", /kimi|qwen3(.next|[._]5)|minimax/],
  ["state_spaces", /mamba|jamba|bamba|nemotron|falcon.?h|lfm|granite.*(4|hybrid)|olmo.hybrid/],
  ["mixtures", /moe|mixtral|a\d+(\.\d)?b\b|a\d00m|deepseek[-_]v|glm-?(4[._]|5)|gpt.oss|llama-?4|flex|trinity|dots|hy3|ax-k1/],
  ["speech_and_vision", /whisper|vit|deit|dino|swin|beit|clip|siglip|convnext|resnet|ast|wav|hubert|speech|data2vec/],
  ["encoders", /bert|electra|esm2|nomic|layoutlm|mpnet|xlm|roformer/],
  ["translators", /t5|bart|nllb|opus|marian|pegasus|blender/],
  ["decoders", /^(?!(llama|qwen|smollm|tinyllama|mistral|ministral|yi|deepseek|open-llama|codellama|linear))/],
];

/** The parts that a link needs before its first estimate, by its query. */
function needed(query) {
  const found = new Set();
  for (const [name, value] of new URLSearchParams(query)) {
    if (OWN.test(name)) continue;
    found.add("common");
    if (name === "a") for (const part of needed(value)) found.add(part);
    const asked = SETTINGS.filter(([, settings]) => settings.test(`${name}=${value}`));
    for (const [part] of asked) found.add(part);
    if (!asked.length && !USUAL.test(name)) found.add("settings");
    if (name !== "model" && name !== "config") continue;
    const type = /model_type:([^,]*)/.exec(value)?.[1] ?? (name === "model" ? value.replace(/^.*\//, "") : name);
    const kind = MODELS.find(([, models]) => models.test(type.toLowerCase()));
    if (kind) found.add("models").add(kind[0]);
    if (kind?.[0] === "hybrid_attention") found.add("linear_attention");
  }
  return [...found];
}

/** All parts but the first and the last. */
const PARTS = ["common", "settings", "models", ...[...MODELS, ...SETTINGS].map(([part]) => part)];
