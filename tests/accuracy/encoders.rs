//! Encoders, and what sees images or hears spectrograms.

use super::every_goal_is_met;

#[test]
fn what_sees_images_is_as_exact_as_the_goals_ask() {
    every_goal_is_met("vit.jsonl", 21);
    every_goal_is_met("deit_dinov2.jsonl", 48);
    every_goal_is_met("spectrograms.jsonl", 43);
    every_goal_is_met("clip_siglip.jsonl", 105);
    every_goal_is_met("vision_language.jsonl", 65);
    every_goal_is_met("qwen_vl.jsonl", 66);
    every_goal_is_met("qwen3_vl.jsonl", 68);
    every_goal_is_met("qwen_vl_flash.jsonl", 44);
    every_goal_is_met("image_text_flash.jsonl", 61);
    every_goal_is_met("paligemma.jsonl", 40);
    every_goal_is_met("idefics3.jsonl", 42);
    every_goal_is_met("mllama.jsonl", 40);
    every_goal_is_met("llava_next.jsonl", 32);
    every_goal_is_met("mistral3.jsonl", 33);
    every_goal_is_met("internvl.jsonl", 34);
    every_goal_is_met("swin.jsonl", 27);
    every_goal_is_met("swinv2.jsonl", 49);
    every_goal_is_met("beit.jsonl", 32);
    every_goal_is_met("data2vec_vision.jsonl", 38);
    every_goal_is_met("conv_nets.jsonl", 46);
}

#[test]
fn bert_and_roberta_are_as_exact_as_the_goals_ask() {
    every_goal_is_met("bert.jsonl", 122);
    every_goal_is_met("bert_kin.jsonl", 126);
}

#[test]
fn deberta_is_as_exact_as_the_goals_ask() {
    every_goal_is_met("deberta.jsonl", 39);
    every_goal_is_met("deberta_first.jsonl", 30);
}

#[test]
fn albert_and_mpnet_are_as_exact_as_the_goals_ask() {
    every_goal_is_met("albert.jsonl", 37);
    every_goal_is_met("mpnet.jsonl", 44);
    every_goal_is_met("nomic_bert.jsonl", 39);
    every_goal_is_met("layoutlm.jsonl", 44);
    every_goal_is_met("rembert.jsonl", 33);
    every_goal_is_met("roformer.jsonl", 33);
}

#[test]
fn modernbert_and_eurobert_are_as_exact_as_the_goals_ask() {
    every_goal_is_met("modernbert.jsonl", 87);
    every_goal_is_met("eurobert.jsonl", 30);
    every_goal_is_met("modernbert_decoder.jsonl", 42);
}

#[test]
fn heads_of_encoders_are_as_exact_as_the_goals_ask() {
    every_goal_is_met("encoder_heads.jsonl", 126);
}
