//! Published models of these families, by family and size.

crate::families::models::published_models! {
    "gpt2", "GPT-2 124M", "openai-community/gpt2", "2019-02";
    "gpt2-medium", "GPT-2 Medium 355M", "openai-community/gpt2-medium", "2019-02";
    "gpt2-large", "GPT-2 Large 774M", "openai-community/gpt2-large", "2019-02";
    "gpt2-xl", "GPT-2 XL 1.6B", "openai-community/gpt2-xl", "2019-02";
    "gpt-neo-125m", "GPT-Neo 125M", "EleutherAI/gpt-neo-125m", "2021-03";
    "gpt-neo-1.3b", "GPT-Neo 1.3B", "EleutherAI/gpt-neo-1.3B", "2021-03";
    "gpt-neo-2.7b", "GPT-Neo 2.7B", "EleutherAI/gpt-neo-2.7B", "2021-03";
    "gpt-j-6b", "GPT-J 6B", "EleutherAI/gpt-j-6b", "2021-06";
    "codegen-350m", "CodeGen 350M", "Salesforce/codegen-350M-mono", "2022-03";
    "codegen-2b", "CodeGen 2B", "Salesforce/codegen-2B-mono", "2022-03";
    "codegen-6b", "CodeGen 6B", "Salesforce/codegen-6B-mono", "2022-03";
    "codegen-16b", "CodeGen 16B", "Salesforce/codegen-16B-mono", "2022-03";
    "distilgpt2", "DistilGPT2 82M", "distilbert/distilgpt2", "2019-10";
    "starcoder-15b", "StarCoder 15B", "bigcode/starcoder", "2023-05";
    "starcoderbase-1b", "StarCoderBase 1B", "bigcode/starcoderbase-1b", "2023-07";
    "santacoder-1.1b", "SantaCoder 1.1B", "bigcode/gpt_bigcode-santacoder", "2023-04";
    "cerebras-gpt-111m", "Cerebras-GPT 111M", "cerebras/Cerebras-GPT-111M", "2023-03";
    "cerebras-gpt-1.3b", "Cerebras-GPT 1.3B", "cerebras/Cerebras-GPT-1.3B", "2023-03";
    "cerebras-gpt-2.7b", "Cerebras-GPT 2.7B", "cerebras/Cerebras-GPT-2.7B", "2023-03";
    "cerebras-gpt-6.7b", "Cerebras-GPT 6.7B", "cerebras/Cerebras-GPT-6.7B", "2023-03";
    "cerebras-gpt-13b", "Cerebras-GPT 13B", "cerebras/Cerebras-GPT-13B", "2023-03";
}
