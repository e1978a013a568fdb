/** Where models usually are. A path with a gap is filled in by the person. */
export const presets = [
  { label: 'OpenAI', url: 'https://api.openai.com/v1', name: 'gpt-4.1-mini' },
  { label: 'Ollama', url: 'http://127.0.0.1:11434/v1', name: 'qwen3:4b' },
  { label: 'llama.cpp', url: 'http://127.0.0.1:8081/v1', name: 'default' },
  { label: 'vLLM', url: 'http://127.0.0.1:8000/v1', name: 'Qwen/Qwen3-4B' },
  {
    label: 'Azure OpenAI',
    url: 'https://RESOURCE.openai.azure.com/openai/deployments/DEPLOYMENT?api-version=2024-10-21',
    name: 'gpt-4.1-mini',
  },
] as const

export const ollama = presets[1]
