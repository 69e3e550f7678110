/** Answers as a server streams them, shortened: the fields that nobody reads are what a server sends, too. */
export const TEXT = [
  '{"model":"qwen3:8b","created_at":"2025-09-30T08:11:02.105937Z","message":{"role":"assistant","content":"","thinking":"A greeting"},"done":false}',
  '{"model":"qwen3:8b","created_at":"2025-09-30T08:11:02.140221Z","message":{"role":"assistant","content":"","thinking":"."},"done":false}',
  '{"model":"qwen3:8b","created_at":"2025-09-30T08:11:02.205511Z","message":{"role":"assistant","content":"Hel"},"done":false}',
  '{"model":"qwen3:8b","created_at":"2025-09-30T08:11:02.239877Z","message":{"role":"assistant","content":"lo!"},"done":false}',
  '{"model":"qwen3:8b","created_at":"2025-09-30T08:11:02.274003Z","message":{"role":"assistant","content":""},"done":true,"done_reason":"stop","total_duration":1892033417,"load_duration":1534102250,"prompt_eval_count":26,"prompt_eval_duration":121301000,"eval_count":11,"eval_duration":201884000}',
];

export const CALLS = [
  '{"model":"qwen3:8b","created_at":"2025-09-30T08:14:40.001723Z","message":{"role":"assistant","content":"I look."},"done":false}',
  '{"model":"qwen3:8b","created_at":"2025-09-30T08:14:40.433190Z","message":{"role":"assistant","content":"","tool_calls":[{"function":{"name":"read","arguments":{"path":"a.txt"}}}]},"done":false}',
  '{"model":"qwen3:8b","created_at":"2025-09-30T08:14:40.619002Z","message":{"role":"assistant","content":"","tool_calls":[{"id":"call_7","function":{"index":1,"name":"list","arguments":{}}}]},"done":false}',
  '{"model":"qwen3:8b","created_at":"2025-09-30T08:14:40.650411Z","message":{"role":"assistant","content":""},"done":true,"done_reason":"stop","prompt_eval_count":312,"eval_count":48}',
];

export const CUT_BY_LIMIT = [
  '{"model":"qwen3:8b","message":{"role":"assistant","content":"One, two"},"done":false}',
  '{"model":"qwen3:8b","message":{"role":"assistant","content":""},"done":true,"done_reason":"length","prompt_eval_count":9,"eval_count":4}',
];

export const GAVE_UP = [
  '{"model":"qwen3:8b","message":{"role":"assistant","content":"One"},"done":false}',
  '{"error":"an error was encountered while running the model: unexpected EOF"}',
];

export const MODELS =
  '{"models":[{"name":"qwen3:8b","model":"qwen3:8b","modified_at":"2025-09-28T19:02:11Z","size":5225388164,"digest":"500a1f067a9f","details":{"family":"qwen3","parameter_size":"8.2B","quantization_level":"Q4_K_M"}},{"name":"gpt-oss:20b"}]}';
