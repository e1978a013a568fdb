/** Faults of a model, on demand. */
export const faults = [
  '429',
  '500',
  'connection',
  'redirect',
  'stall',
  'stall-later',
  'cut',
  'bad-json',
  'no-finish',
  'empty',
  'huge',
  'bad-tool-json',
  'unknown-tool',
  'markup',
] as const
export type Fault = (typeof faults)[number]

export interface ToolCall {
  name: string
  /** A string is sent verbatim. */
  arguments?: unknown
}

/** One answer; the first step whose `when` matches the last message (`role: content`) applies. */
export interface Step {
  when?: RegExp | string
  say?: string
  calls?: readonly ToolCall[]
  /** Text as JSON. */
  json?: unknown
  fault?: Fault
  /** Milliseconds before the first token, and between tokens. */
  firstMs?: number
  tokenMs?: number
  /** False: the server reports no usage. */
  usage?: false | { prompt_tokens: number; completion_tokens: number }
  /** Maximum uses; then the next matching step applies. */
  times?: number
}

export interface ChatBody {
  model: string
  messages: { role: string; content: string | null; tool_calls?: unknown[]; tool_call_id?: string }[]
  stream?: boolean
  tools?: { function: { name: string } }[]
  response_format?: unknown
  [field: string]: unknown
}

/** Model names also select faults: `fault-cut`, `slow-2500`. */
export const faultOf = (step: Step, model: string): Fault | undefined => step.fault ?? faults.find((fault) => model === `fault-${fault}`)

const slowness = (model: string): number | undefined => {
  const ms = /^slow-(\d+)$/.exec(model)?.[1]
  return ms === undefined ? undefined : Number(ms)
}
export const firstMsOf = (step: Step, model: string): number => step.firstMs ?? slowness(model) ?? 0

const damaged = (step: Step, fault: Fault | undefined): Step => {
  if (fault === 'empty') return { ...step, say: '', calls: [] }
  if (fault === 'huge') return { ...step, say: 'word '.repeat(400_000), calls: [] }
  if (fault === 'unknown-tool') return { ...step, calls: [{ name: 'launch_rocket', arguments: {} }] }
  if (fault === 'bad-tool-json') return { ...step, calls: [{ name: step.calls?.[0]?.name ?? 'hang_up', arguments: '{"to": "sa' }] }
  if (fault === 'markup')
    return { ...step, say: `# Answer\n\n- **${step.say ?? ''}** 😀 <caller>x</caller> see [here](https://example.org/a)\n` }
  return step
}

type Delta = Record<string, unknown>

/** Deltas of an answer as servers send them: words, then calls in fragments of a few letters, several calls interleaved. */
export const deltasOf = (step: Step, fault: Fault | undefined): Delta[] => {
  const { say = '', json, calls = [] } = damaged(step, fault)
  const pattern = fault === 'huge' ? /.{1,5000}/gs : /\s*\S+\s*$|\s*\S+/g
  const words = (json === undefined ? say : JSON.stringify(json)).match(pattern) ?? []
  const pieces: Delta[] = [{ role: 'assistant', content: '' }, ...words.map((content) => ({ content }))]
  for (const [index, { name }] of calls.entries())
    pieces.push({ tool_calls: [{ index, id: `call_${index}_${name}`, type: 'function', function: { name, arguments: '' } }] })
  const texts = calls.map(({ arguments: given = {} }) => (typeof given === 'string' ? given : JSON.stringify(given)))
  const parts = texts.map((text) => text.match(/.{1,7}/gs) ?? [])
  const rounds = Math.max(0, ...parts.map(({ length }) => length))
  for (let round = 0; round < rounds; round++)
    for (const [index, list] of parts.entries())
      if (list[round] !== undefined) pieces.push({ tool_calls: [{ index, function: { arguments: list[round] } }] })
  return pieces
}

/** The whole message without streaming. */
export const messageOf = (step: Step, fault: Fault | undefined): Delta => {
  const { say = '', json, calls = [] } = damaged(step, fault)
  const tool_calls = calls.map(({ name, arguments: given = {} }, index) => ({
    id: `call_${index}_${name}`,
    type: 'function',
    function: { name, arguments: typeof given === 'string' ? given : JSON.stringify(given) },
  }))
  return { role: 'assistant', content: json === undefined ? say : JSON.stringify(json), ...(tool_calls.length > 0 && { tool_calls }) }
}

const dimensions = 64

/** Texts with common words have similar embeddings. */
export const embeddingOf = (text: string): number[] => {
  const sums = Array.from({ length: dimensions }, () => 0)
  for (const word of text.toLowerCase().match(/\p{L}+/gu) ?? []) {
    let hash = 7
    for (const letter of word) hash = (hash * 31 + (letter.codePointAt(0) ?? 0)) % 1_000_003
    sums[hash % dimensions] = (sums[hash % dimensions] ?? 0) + 1
  }
  const length = Math.hypot(...sums) || 1
  return sums.map((sum) => sum / length)
}
