import assert from 'node:assert/strict'
import { test } from 'node:test'
import { WebSocket } from 'ws'
import { serviceKey, startToneService } from '#test/speech/speech-service.ts'
import type { Stt } from '#core/kernel/ports/speech.ts'
import { toneSound } from '#adapters/speech/tones/tone-speech.ts'
import { StableWords } from './stable-words.ts'

type Event = { type: string } & Record<string, unknown>

class Client {
  readonly events: Event[] = []
  readonly #socket: WebSocket
  #changed = (): void => {}

  private constructor(socket: WebSocket) {
    this.#socket = socket
    socket.on('message', (data: Buffer) => {
      this.events.push(JSON.parse(data.toString()) as Event)
      this.#changed()
    })
  }

  static open(url: string, key = serviceKey): Promise<Client> {
    const socket = new WebSocket(`${url.replace('http', 'ws')}/realtime?intent=transcription`, {
      headers: { authorization: `Bearer ${key}` },
    })
    const client = new Client(socket)
    return new Promise((resolve, reject) => socket.on('open', () => resolve(client)).on('error', reject))
  }

  send(event: object): void {
    this.#socket.send(JSON.stringify(event))
  }

  says(samples: Int16Array): void {
    this.send({
      type: 'input_audio_buffer.append',
      audio: Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength).toString('base64'),
    })
  }

  async next(type: string): Promise<Event> {
    for (;;) {
      const index = this.events.findIndex((event) => event.type === type)
      const [event] = index < 0 ? [] : this.events.splice(index, 1)
      if (event) return event
      await new Promise<void>((resolve) => (this.#changed = resolve))
    }
  }
}

/** Commits by the client, 8 kHz. */
const manual = {
  type: 'session.update',
  session: { type: 'transcription', audio: { input: { format: { type: 'audio/pcm', rate: 8000 }, turn_detection: null } } },
}

test('transcribes what was said until each commit', async (t) => {
  const { url } = await startToneService(t)
  const client = await Client.open(url)
  await client.next('session.created')
  client.send(manual)
  client.says(toneSound('the first part'))
  client.send({ type: 'input_audio_buffer.commit' })
  client.says(toneSound('the second part'))
  client.send({ type: 'input_audio_buffer.clear' })
  client.says(toneSound('the third part'))
  client.send({ type: 'input_audio_buffer.commit' })
  const first = await client.next('conversation.item.input_audio_transcription.completed')
  const second = await client.next('conversation.item.input_audio_transcription.completed')
  assert.deepEqual([first['transcript'], second['transcript']], ['the first part', 'the third part'])
  const [one, two] = [await client.next('input_audio_buffer.committed'), await client.next('input_audio_buffer.committed')]
  assert.deepEqual([one['item_id'], two['item_id'], two['previous_item_id']], [first['item_id'], second['item_id'], one['item_id']])
  client.send({ type: 'input_audio_buffer.commit' })
  assert.equal(((await client.next('error'))['error'] as Event)['code'], 'input_audio_buffer_commit_empty')
})

test('sends words before the commit, once they are stable', async (t) => {
  const partials = ['I', 'I would', 'I would like', 'I would like to book', 'I would like two books']
  let glances = 0
  const stt: Stt = {
    name: 'scripted',
    hears: () => true,
    open: () => ({
      transcribe: () => Promise.resolve({ text: 'I would like two books.' }),
      glance: () => Promise.resolve({ text: partials[glances++] ?? '' }),
      close: () => {},
    }),
  }
  const { url } = await startToneService(t, { stt })
  const client = await Client.open(url)
  client.send(manual)
  let deltas = ''
  for (const { length } of partials) {
    const before = glances
    client.says(new Int16Array(4_000 + length))
    await nextTurns(() => glances > before)
  }
  for (const _ of [1, 2, 3]) deltas += String((await client.next('conversation.item.input_audio_transcription.delta'))['delta'])
  client.send({ type: 'input_audio_buffer.commit' })
  assert.equal((await client.next('conversation.item.input_audio_transcription.completed'))['transcript'], 'I would like two books.')
  assert.equal(deltas, 'I would like')
})

const nextTurns = async (condition: () => boolean): Promise<void> => {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve))
}

test('takes no partial word back', () => {
  const words = new StableWords()
  const given = ['a', 'a b', 'a x c', '', 'a x c d', 'y z c d e'].map((text) => words.next(text))
  assert.deepEqual(given, [undefined, 'a', undefined, undefined, ' x c', undefined])
})

test('rejects a wrong key, unknown events and settings, and keeps the session', async (t) => {
  const { url } = await startToneService(t)
  await assert.rejects(Client.open(url, 'wrong'), /401/)
  const client = await Client.open(url)
  const wrong = [
    { type: 'response.create' },
    [],
    { type: 'session.update', session: { type: 'realtime' } },
    { type: 'session.update', session: { audio: { input: { format: { type: 'audio/pcm', rate: 44_100 } } } } },
    { type: 'session.update', session: { audio: { input: { transcription: { language: '???' } } } } },
    { type: 'input_audio_buffer.append', audio: 7 },
  ]
  for (const event of wrong) client.send(event)
  const codes: unknown[] = []
  for (const _ of wrong) codes.push(((await client.next('error'))['error'] as Event)['code'])
  assert.deepEqual(codes, ['unknown_event', 'unknown_event', 'invalid_value', 'invalid_value', 'unsupported_language', 'invalid_value'])
  client.send({ ...manual, event_id: 'mine' })
  await client.next('session.updated')
})
