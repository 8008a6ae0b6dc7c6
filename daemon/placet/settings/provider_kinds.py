"""Kinds of providers: the wires of Placet, and the names of litellm's providers.

tests/settings/test_providers.py compares the names with litellm.
"""

RESPONSES = "openai-responses"
"""Kind of a server that is asked over OpenAI's Responses API."""
LOCAL = "local"
"""Kind of the models that Placet itself runs; no provider of litellm, and only the name `local` has this kind."""

_NAMES = """
ai21 ai21_chat aihubmix aiml amazon_nova anthropic anyscale apertis azure azure_ai baseten bedrock
bedrock_mantle bytez cerebras chatgpt chutes clarifai cloudflare codestral cognition cohere cohere_chat cometapi
compactifai coralbricks crusoe custom_openai darkbloom dashscope databricks datarobot deepinfra deepseek
docker_model_runner empower featherless_ai fireworks_ai friendliai galadriel gemini gigachat github
github_copilot gmi gradient_ai groq helicone heroku hosted_vllm huggingface hyperbolic inception inferenceapis
lambda_ai lemonade libertai litellm_proxy llamafile llamagate lm_studio maritalk meta meta_llama
microsoft_365_copilot minimax mistral modelscope moonshot morph nano-gpt nebius nlp_cloud novita nscale
nvidia_nim oci ollama ollama_chat oobabooga openai openai_like openinfer openrouter ovhcloud parasail perplexity
pinstripes poe predibase prism publicai qwen_ai_platform qwencloud replicate sagemaker sail sambanova sap sarvam
scaledown scaleway scx-ai snowflake synthetic tencent tensormesh together_ai triton v0 vercel_ai_gateway
vertex_ai vertex_ai_beta volcengine wandb watsonx xai xiaomi_mimo xinference zai
"""

_OTHERS = """
a2a a2a_agent aiohttp_openai anthropic_text assemblyai auto_router aws_polly aws_textract azure_speech azure_text
black_forest_labs charity_engine cortecs cursor custom deepgram dotprompt edenai elevenlabs fal_ai gdc humanloop
infinity jina_ai langflow langfuse langgraph litellm_agent manus milvus mongodb nadir neosantara nvidia_riva petals
pg_vector
ragflow recraft reducto reka runwayml s3_vectors sagemaker_chat sagemaker_nova soniox stability strands_decider
text-completion-codestral text-completion-inception text-completion-openai topaz transcribe typesafe valkey vllm voyage
watsonx_text
"""

PROVIDERS = frozenset(_NAMES.split())
"""Names of litellm's providers of chat models."""
SERVED = PROVIDERS | frozenset(_OTHERS.split())
"""All names of providers with which litellm takes a model."""
KINDS = PROVIDERS | {RESPONSES}
