import { describe, expect, test } from "vitest";
import { listedModels, listPlans } from "../../plugins/provider-openai-compatible/list/index.js";
import type { Endpoint } from "../../src/plugin/sdk.js";

const urls = (provider: string, endpoint: Endpoint): readonly string[] =>
  listPlans(provider, endpoint).map((plan) => (plan.type === "http" ? plan.url : plan.type));
const json = (...bodies: readonly unknown[]): readonly string[] =>
  bodies.map((body) => (typeof body === "string" ? body : JSON.stringify(body)));
const listed = (provider: string, ...bodies: readonly unknown[]): readonly object[] => listedModels(provider, json(...bodies));

describe("what is asked", () => {
  test("the list beside the endpoint, with the key by name", () => {
    expect(listPlans("openai-compatible", { baseUrl: "http://h", credential: "LLAMA_API_KEY" })).toEqual([
      {
        type: "http",
        method: "GET",
        url: "http://h/v1/models",
        headers: { accept: "application/json", authorization: "Bearer {secret:LLAMA_API_KEY}" },
        framing: "json",
      },
    ]);
  });

  test.each([
    ["llama-cpp", "http://h/v1", ["http://h/v1/models", "http://h/props"]],
    ["ollama", "http://h", ["http://h/v1/models", "http://h/api/ps"]],
    ["lmstudio", "http://h/v1", ["http://h/v1/models", "http://h/api/v0/models"]],
    ["litellm", "http://h", ["http://h/v1/models", "http://h/v1/model/info"]],
    ["vllm", "http://h/v1", ["http://h/v1/models"]],
    ["azure", "https://me.openai.azure.com", ["https://me.openai.azure.com/openai/v1/models"]],
  ])("of %s at %s", (provider, baseUrl, expected) => {
    expect(urls(provider, { baseUrl })).toEqual(expected);
  });
});

const ref = (model: string, provider = "openai-compatible"): object => ({ ref: { provider, model } });

describe("what servers list", () => {
  test.each([
    ["OpenAI", { object: "list", data: [{ id: "gpt-5" }, { id: "gpt-4" }] }, [ref("gpt-5"), ref("gpt-4")]],
    [
      "llama.cpp",
      { models: [{ name: "x" }], data: [{ id: "tiny", meta: { n_ctx_train: 4096 } }] },
      [{ ...ref("tiny"), contextTokens: 4096 }],
    ],
    [
      "llama.cpp with the window it has",
      { data: [{ id: "tiny", meta: { n_ctx: 2048, n_ctx_train: 4096 } }] },
      [{ ...ref("tiny"), contextTokens: 2048 }],
    ],
    ["vLLM", { data: [{ id: "q", max_model_len: 32768 }] }, [{ ...ref("q"), contextTokens: 32768 }]],
    [
      "Groq",
      {
        data: [
          { id: "g", active: true, context_window: 131072, max_completion_tokens: 4096 },
          { id: "old", active: false },
        ],
      },
      [{ ...ref("g"), contextTokens: 131072, outputTokens: 4096 }],
    ],
    [
      "Mistral",
      {
        data: [
          {
            id: "m",
            name: "m",
            max_context_length: 262144,
            capabilities: { completion_chat: true, function_calling: true, vision: false },
          },
          {
            id: "m",
            name: "m",
            max_context_length: 262144,
            capabilities: { completion_chat: true, function_calling: true, vision: false },
          },
          { id: "embed", capabilities: { completion_chat: false } },
        ],
      },
      [{ ...ref("m"), contextTokens: 262144, images: false, tools: true }],
    ],
    [
      "Together",
      [
        { id: "t", type: "chat", display_name: "T", context_length: 8192, pricing: { input: 0.5, output: 1.5, cached_input: 0.1 } },
        { id: "e", type: "embedding" },
      ],
      [{ ...ref("t"), title: "T", contextTokens: 8192, price: { input: 0.5, output: 1.5, cacheRead: 0.1 }, cache: "automatic" }],
    ],
    [
      "Fireworks",
      {
        data: [
          { id: "f", supports_chat: true, supports_image_input: true, supports_tools: true, context_length: 1000 },
          { id: "g", supports_chat: false },
        ],
      },
      [{ ...ref("f"), contextTokens: 1000, images: true, tools: true }],
    ],
    [
      "Moonshot",
      { data: [{ id: "k", context_length: 262144, supports_image_in: true }] },
      [{ ...ref("k"), contextTokens: 262144, images: true }],
    ],
    [
      "Hugging Face",
      {
        data: [
          {
            id: "h",
            architecture: { input_modalities: ["text"], output_modalities: ["text"] },
            providers: [
              { context_length: 131072, supports_tools: true },
              { context_length: 65536, supports_tools: true },
            ],
          },
        ],
      },
      [{ ...ref("h"), contextTokens: 65536, images: false, tools: true }],
    ],
    ["a bare list", [{ id: "t", context_length: 0 }], [ref("t")]],
    ["names alone", { models: ["a", "b"] }, [ref("a"), ref("b")]],
    ["nothing of use", { data: [{}, null, 7] }, []],
    ["an error", { error: { message: "no" } }, []],
    ["no JSON", "<html>", []],
  ])("%s", (_name, body, expected) => {
    expect(listed("openai-compatible", body)).toEqual(expected);
  });

  const routed = {
    id: "a/b",
    name: "A: B",
    context_length: 200000,
    top_provider: { max_completion_tokens: 64000 },
    architecture: { input_modalities: ["text", "image"], output_modalities: ["text"] },
    pricing: { prompt: "0.000003", completion: "0.000015", input_cache_read: "0.0000003", input_cache_write: "0.00000375" },
    supported_parameters: ["tools", "reasoning", "structured_outputs", "temperature"],
  };

  test("OpenRouter, with prices for a million tokens and what a model takes", () => {
    expect(listed("openrouter", { data: [routed] })).toEqual([
      {
        ...ref("a/b", "openrouter"),
        title: "A: B",
        contextTokens: 200000,
        outputTokens: 64000,
        images: true,
        tools: true,
        structuredOutput: true,
        sampling: true,
        thinking: ["low", "medium", "high"],
        price: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 },
        cache: "points",
      },
    ]);
  });

  test("OpenRouter's models that take or cost something else", () => {
    const models = [
      { ...routed, id: "auto", pricing: { prompt: "-1", completion: "-1" }, supported_parameters: ["temperature"] },
      { ...routed, id: "draws", architecture: { output_modalities: ["image"] } },
      { ...routed, id: "free", pricing: { prompt: "0", completion: "0" } },
    ];
    const found = listed("openrouter", { data: models });
    expect(found).toMatchObject([
      { ref: { model: "auto" }, tools: false, structuredOutput: false, thinking: [] },
      { ref: { model: "free" }, price: { input: 0, output: 0 } },
    ]);
    expect(found[0]).not.toHaveProperty("price");
    expect(found[1]).not.toHaveProperty("cache");
  });
});

describe("what servers tell beside the list", () => {
  const list = { data: [{ id: "tiny", meta: { n_ctx_train: 32768 } }] };
  const props = {
    default_generation_settings: { n_ctx: 4096 },
    modalities: { vision: true },
    chat_template: "{% if enable_thinking %}x{% endif %}",
    chat_template_caps: { supports_tools: true, supports_tool_calls: true },
  };

  test("llama.cpp: the window that is there, what it sees, and what its chat template is made for", () => {
    expect(listed("llama-cpp", list, props)).toEqual([
      { ...ref("tiny", "llama-cpp"), contextTokens: 4096, images: true, tools: true, thinking: ["off", "medium"] },
    ]);
  });

  test.each([
    ["a template without tools", { chat_template_caps: { supports_tools: false } }, { tools: false }],
    ["a template with efforts", { chat_template: "{{ reasoning_effort }}" }, { thinking: ["low", "medium", "high"] }],
    ["a template without a word of thinking", { chat_template: "" }, { thinking: undefined }],
    ["an older server", { chat_template_caps: null, modalities: null }, { tools: undefined, images: undefined }],
  ])("llama.cpp: %s", (_name, over, facts) => {
    const [model] = listed("llama-cpp", list, { ...props, ...over });
    for (const [name, value] of Object.entries(facts)) expect((model as { [name: string]: unknown })[name]).toEqual(value);
  });

  test("llama.cpp with several models: what is said of the server is said of none of them", () => {
    expect(listed("llama-cpp", { data: [{ id: "a" }, { id: "b" }] }, props)).toEqual([ref("a", "llama-cpp"), ref("b", "llama-cpp")]);
  });

  test("Ollama: the window of what is loaded", () => {
    const loaded = { models: [{ name: "q:8b", model: "q:8b", context_length: 4096 }] };
    expect(listed("ollama", { data: [{ id: "q:8b" }, { id: "l:3b" }] }, loaded)).toEqual([
      { ...ref("q:8b", "ollama"), contextTokens: 4096 },
      ref("l:3b", "ollama"),
    ]);
  });

  test("LM Studio: kinds of models, windows, tools", () => {
    const models = {
      data: [
        { id: "v", type: "vlm", max_context_length: 131072, loaded_context_length: 8192, capabilities: ["tool_use"] },
        { id: "l", type: "llm", max_context_length: 32768 },
        { id: "e", type: "embeddings" },
      ],
    };
    expect(listed("lmstudio", { data: [{ id: "v" }, { id: "l" }, { id: "e" }] }, models)).toEqual([
      { ...ref("v", "lmstudio"), contextTokens: 8192, images: true, tools: true },
      { ...ref("l", "lmstudio"), contextTokens: 32768, images: false },
    ]);
  });

  test("LiteLLM: what it knows of the models behind it", () => {
    const info = {
      data: [
        {
          model_name: "claude",
          model_info: {
            max_input_tokens: 200000,
            max_output_tokens: 64000,
            input_cost_per_token: 3e-6,
            output_cost_per_token: 1.5e-5,
            cache_read_input_token_cost: 3e-7,
            cache_creation_input_token_cost: 3.75e-6,
            supports_vision: true,
            supports_function_calling: true,
            supports_response_schema: true,
            supports_reasoning: true,
            supports_prompt_caching: true,
          },
        },
        { model_name: "own", model_info: { input_cost_per_token: 0, output_cost_per_token: 0, supports_vision: null } },
      ],
    };
    expect(listed("litellm", { data: [{ id: "claude" }, { id: "own" }] }, info)).toEqual([
      {
        ...ref("claude", "litellm"),
        contextTokens: 200000,
        outputTokens: 64000,
        images: true,
        tools: true,
        structuredOutput: true,
        thinking: ["low", "medium", "high"],
        price: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 },
        cache: "points",
      },
      ref("own", "litellm"),
    ]);
  });

  test.each(["", "<html>", "null", "[]", '{"error":"no"}'])("nothing where it failed: %j", (beside) => {
    expect(listed("llama-cpp", list, beside)).toEqual([{ ...ref("tiny", "llama-cpp"), contextTokens: 32768 }]);
  });
});
