import { readEvents } from '../../packages/agent/src/model/chat-completions.ts'
import type { Fetch } from '../../packages/agent/src/outbound.ts'
import { speakable } from '../../packages/agent/src/speakable.ts'
import { send } from '../../packages/agent/src/tools/http-tool.ts'
import { problemsWithin } from '../../packages/agent/src/tools/run-tools.ts'
import { readJson } from '../../packages/gateway/src/gateway.ts'
import { readTwiml } from '../../packages/gateway/src/twilio/twiml.ts'
import { Completion } from '../../packages/gateway/src/vapi.ts'
import { parseBoundedJson } from '@offhook/contract/bounded-json.ts'
import { bodyChecker } from '@offhook/contract/validation.ts'
import { pageFrames } from '@offhook/contract/v3/phone.ts'
import { TalkDtmf, TalkText } from '@offhook/contract/v3/talks.ts'
import { argumentsOf } from '@offhook/sdk/tool-arguments.ts'
import { limitedSearch } from '#adapters/scenario-runs/limited-search.ts'
import { readEndpointReply } from '#core/assistant/delivery/replies/read-endpoint-reply.ts'
import { Relay } from '#core/assistant/delivery/listeners/relay.ts'
import { embedQuestion } from '#core/assistant/knowledge/embeddings.ts'
import { readCustomerWav } from '#core/assistant/session/speaking/speech-parts.ts'
import { readReply } from '#core/telephone/push/read-response.ts'
import type { OutboundHttp, OutboundReply } from '#core/kernel/ports/outbound.ts'
import { VirtualClock } from '#test/clock/virtual-clock.ts'
import { all, around, fedWith, type Entry } from './entry.ts'
import { filled, jsonShapes, textShapes, xmlShapes, type Shapes } from './shapes.ts'

const megabyte = 2 ** 20
const kilobyte = 2 ** 10

/** Sounds at their maximum length. */
const sounds = {
  'a sound': JSON.stringify({ type: 'audio', audio: filled('QUJD', 4 * megabyte - 100) }),
  'a sound of escapes': `{"type":"audio","audio":"${filled(String.raw`\/`, 4 * megabyte - 100)}"}`,
}

/** Replies of customers' servers: webhooks, WebSockets, tools, models, other systems. */
export const replyEntries = (): Entry[] => [
  {
    name: 'reply of a webhook or WebSocket endpoint',
    bytes: 4 * megabyte,
    shapes: fedWith(
      all(
        around(jsonShapes(4 * megabyte - 100), (json) => `[{"type":"audio"},${json}]`),
        Object.entries(sounds),
      ),
      (text) => readEndpointReply(Buffer.from(text), 's'),
    ),
  },
  {
    name: 'WebSocket frame of a listener',
    bytes: 4.5 * megabyte,
    shapes: fedWith(all(jsonShapes(4.5 * megabyte), listenerFrames(4.5 * megabyte)), (text) => newRelay().said(text)),
  },
  {
    name: 'WebSocket frame of a phone in the browser',
    bytes: 64 * kilobyte,
    shapes: fedWith(
      around(jsonShapes(64 * kilobyte - 40), (json) => `{"type":"dial","to":${json}}`),
      (text) => checkCall(parseBoundedJson(text)),
    ),
  },
  {
    name: 'WebSocket frame of a talk',
    bytes: 64 * kilobyte,
    shapes: fedWith(
      all(
        jsonShapes(64 * kilobyte),
        around(jsonShapes(64 * kilobyte - 40), (json) => `{"type":"text","text":${json}}`),
        Object.entries({ 'many digits': `{"type":"dtmf","digits":"${filled('1', 64 * kilobyte - 40)}"}` }),
      ),
      (text) => checkTalk.map((check) => check(parseBoundedJson(text))),
    ),
  },
  {
    name: 'sound of an endpoint (WAV)',
    bytes: 4 * megabyte,
    shapes: fedWith(wavShapes(3 * megabyte), (base64) => readCustomerWav(base64)),
  },
  {
    name: 'XML reply of an account’s own software',
    bytes: 16 * kilobyte,
    shapes: fedWith(xmlShapes(16 * kilobyte, 'Response'), (text) => readReply(xmlReply(text), { direction: 'in', country: 'DE' })),
  },
  { name: 'TwiML', bytes: 64 * kilobyte, shapes: fedWith(xmlShapes(64 * kilobyte, 'Response'), (text) => readTwiml(text)) },
  { name: 'WebSocket frame of another system', bytes: 4 * megabyte, shapes: fedWith(jsonShapes(4 * megabyte), (text) => readJson(text)) },
  { name: 'chat completion of another system', bytes: megabyte, shapes: fedWith(streamShapes(megabyte), inChunks) },
  {
    name: 'answer of an embeddings model',
    bytes: 2_500_000,
    shapes: fedWith(all(jsonShapes(2_500_000), Object.entries(vectorShapes)), (text) => embedQuestion(answering(text), model, 'x')),
  },
  { name: 'stream of a model (agent)', bytes: 2 * megabyte, shapes: fedWith(streamShapes(2 * megabyte), readModel) },
  { name: 'words of a model (agent)', bytes: 64 * kilobyte, shapes: fedWith(textShapes(64 * kilobyte), (text) => speakable(text)) },
  {
    name: 'reply of a tool (agent)',
    bytes: 64 * kilobyte,
    shapes: fedWith(all(jsonShapes(64 * kilobyte), textShapes(64 * kilobyte)), answerOfTool),
  },
  { name: 'arguments of a tool (agent)', bytes: 64 * kilobyte, shapes: fedWith(jsonShapes(64 * kilobyte), (text) => argumentsOf(text)) },
  {
    name: 'schema of a tool with a pattern (agent)',
    bytes: 2_000,
    shapes: fedWith(Object.entries(patterns), (pattern) =>
      problemsWithin({ type: 'object', properties: { a: { type: 'string', pattern } } }, { a: `${filled('a', 2_000)}!` }),
    ),
  },
  {
    name: 'pattern of a scenario',
    bytes: 10_000,
    shapes: fedWith(Object.entries(patterns), (pattern) => limitedSearch()(new RegExp(pattern, 'iu'), filled('a', 10_000) + '!')),
  },
]

const patterns = {
  'nested repetition': '(a+)+$',
  alternatives: '(a|a)*$',
  'long counts': '(a{0,500}){0,500}$',
  'look-ahead': '(?=(a+))(a+)+b',
  'many groups': `${filled('(a*)', 800)}b`,
}

const checkCall = bodyChecker(pageFrames.dial)
const checkTalk = [bodyChecker(TalkText), bodyChecker(TalkDtmf)]

/** Reads the reply of a customer's tool, and writes it for the model. */
const answerOfTool = async (text: string): Promise<string> => {
  const fetch: Fetch = () => Promise.resolve({ status: 200, headers: new Headers(), body: piecesOf(text) })
  const request = { url: 'http://127.0.0.1/', method: 'POST', headers: {}, body: '{}' } as const
  const settings = { name: 'x', description: 'x', url: request.url }
  const { content } = await send(settings, { fetch, clock: new VirtualClock(), secrets: [] }, request, new AbortController().signal)
  return JSON.stringify(content)
}

const newRelay = (): Relay =>
  new Relay({ id: 'x', to: undefined, clock: new VirtualClock(), connection: { send: () => {}, waiting: () => 0, close: () => {} } })

const listenerFrames = (bytes: number): Shapes =>
  Object.entries({
    'a long body': JSON.stringify({ type: 'reply', id: 'x', status: 200, headers: {}, body: filled('x', bytes - 200) }),
    'a body of escapes': `{"type":"reply","id":"x","status":200,"headers":{},"body":"${filled(String.raw`\"`, bytes - 200)}"}`,
    'many headers': JSON.stringify({
      type: 'reply',
      id: 'x',
      status: 200,
      headers: Object.fromEntries(Array.from({ length: 100_000 }, (_, at) => [`h${at}`, ''])),
      body: '',
    }),
  })

const wavShapes = (bytes: number): Shapes => {
  const chunks = Buffer.alloc(bytes)
  chunks.write('RIFF', 0, 'latin1')
  chunks.write('WAVE', 8, 'latin1')
  for (let at = 12; at + 8 < bytes; at += 8) chunks.write('junk', at, 'latin1')
  return Object.entries({
    'empty chunks': chunks.toString('base64'),
    'no WAV': filled('QUJD', bytes),
    'no Base64': filled('\u00e4', bytes),
  })
}

const xmlReply = (text: string): OutboundReply => ({ status: 200, headers: { 'content-type': 'application/xml' }, body: Buffer.from(text) })

/** Server-sent events, complete or as one endless line. */
const streamShapes = (bytes: number): Shapes =>
  all(
    around(jsonShapes(bytes - 100), (json) => `data: ${json}\n\n`),
    Object.entries({
      'one line': filled('data: x', bytes),
      'line breaks': filled('\n', bytes),
      'carriage returns': filled('\r', bytes),
      'empty events': filled('data:\n\n', bytes),
      'broken events': filled('data:{\n\n', bytes),
      'small chunks': filled('data: {"choices":[{"delta":{"content":"a"}}]}\n\n', bytes),
    }),
  )

/** Typical network chunk size. */
const chunkBytes = 64 * kilobyte

async function* piecesOf(text: string): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += chunkBytes) {
    yield bytes.subarray(at, at + chunkBytes)
    await new Promise(setImmediate)
  }
}

const inChunks = async (text: string): Promise<void> => {
  const completion = new Completion(() => {})
  for await (const piece of piecesOf(text)) completion.read(piece)
  completion.finish()
}

const readModel = async (text: string): Promise<void> => {
  for await (const data of readEvents(piecesOf(text), 5 * megabyte)) parseBoundedJson(data)
}

const model = { url: 'http://127.0.0.1', name: 'x' }
const answering = (text: string): OutboundHttp => ({
  request: () => Promise.resolve({ status: 200, headers: {}, body: Buffer.from(text) }),
  close: () => Promise.resolve(),
})
const vectorShapes = {
  'a vector': JSON.stringify({ data: [{ index: 0, embedding: Array.from({ length: 8_192 }, () => Math.PI) }] }),
  'eight vectors': JSON.stringify({
    data: Array.from({ length: 8 }, (_, index) => ({ index, embedding: Array.from({ length: 8_192 }, () => Math.E) })),
  }),
}
