import { parentPort, workerData } from 'node:worker_threads'
import type { SoundState } from '../engine.ts'
import { prepareOpus } from '../codec/opus.ts'
import { Forwarder } from '../rtp/forwarder.ts'
import { PacedLoop } from '../thread/paced-loop.ts'
import type { Answers, Command, MediaEvent, PartyId, Question, ThreadSettings } from './media-protocol.ts'
import { Room } from '../stream/room.ts'
import { openDgram } from '../socket/socket-dgram.ts'
import { openKoffi, preferThisThread } from '../socket/socket-koffi.ts'
import { SendPermit } from '../socket/send-permit.ts'
import { PortTaken } from '../socket/socket.ts'
import { Stream } from '../stream/stream.ts'
import { reportMemory } from '../thread/thread.ts'

/** Media thread: takes commands, runs streams and rooms, emits events. */
const settings = workerData as ThreadSettings
reportMemory()
const forwarder = new Forwarder()
const permit = new SendPermit(settings.permit)
const udp = settings.udp === 'koffi' ? openKoffi(forwarder, permit) : openDgram(permit)
if (settings.udp === 'koffi') preferThisThread()
const loop = new PacedLoop({
  receive: (nowMs) => udp.poll(nowMs),
  failed(paced, error) {
    for (const stream of paced instanceof Room ? paced.streams : [paced]) if (stream instanceof Stream) stream.failed(error)
  },
  door: settings.door,
  late: settings.late,
  receivesByEvents: udp.kind === 'dgram',
  awaitsEvents: () => working || unfinished.size > 0 || sendingKeys > 0,
})
const streams = new Map<PartyId, Stream>()
const rooms = new Map<PartyId, Room>()
let sendingKeys = 0
/** Recordings whose last bytes are not on disk yet, with their owner. */
const unfinished = new Map<number, { party: PartyId; onDisk: Promise<void> }>()

const onDisk = (party?: PartyId): Promise<unknown> =>
  Promise.all([...unfinished.values()].filter((one) => party === undefined || one.party === party).map((one) => one.onDisk))

const notify = (event: MediaEvent): void => parentPort?.postMessage(event, [])

const answer = <Q extends Question>(question: Q, value: Answers[Q['do']]): void => notify({ tell: 'answer', ask: question.ask, value })

type Handlers = { [D in Command['do']]: (command: Extract<Command, { do: D }>) => void | Promise<void> }

const handlers: Handlers = {
  async open(command) {
    const { stream: id, address, port, beside } = command
    try {
      const stream = await Stream.open({ ...settings, udp, address, port, forwarder, frame: () => loop.frame, observer: observerOf(id) })
      streams.set(id, stream)
      const near = beside === undefined ? undefined : streams.get(beside)
      loop.add(stream, near?.room ?? near)
      answer(command, { descriptors: stream.descriptors })
    } catch (error) {
      if (!(error instanceof PortTaken)) throw error
      answer(command, undefined)
    }
  },
  close(command) {
    const quality = streams.get(command.party)?.quality
    closeParty(command.party, command.silently)
    void onDisk(command.party).then(() => answer(command, quality))
  },
  async configure({ stream, settings }) {
    if (settings.codec === 'opus') await prepareOpus()
    streams.get(stream)?.configure(settings)
  },
  'open-pcm': ({ stream, input, output }) => streams.get(stream)?.openPcm(input, output),
  mute: ({ stream, value }) => streams.get(stream)?.mute(value),
  echo: ({ stream, value }) => streams.get(stream)?.echo(value),
  'want-keys': ({ stream, value }) => streams.get(stream)?.wantKeys(value),
  hush: ({ stream, value }) => streams.get(stream)?.own.muteInput(value),
  duck: ({ stream, value }) => streams.get(stream)?.own.duck(value),
  play: ({ stream, playback, samples, rate, loop, layer }) => {
    const target = streams.get(stream)
    if (target) target.own.play(playback, { samples, rate, loop, layer })
    else notify({ tell: 'played', party: stream, playback, completed: false, playedMs: 0 })
  },
  feed: ({ stream, playback, buffer, rate }) => streams.get(stream)?.own.feed(playback, buffer, rate),
  background: ({ stream, sound }) => streams.get(stream)?.background(sound),
  'stop-playback': ({ stream, playback }) => streams.get(stream)?.own.stop(playback),
  'send-dtmf': (command) => {
    sendingKeys++
    const sent = streams.get(command.stream)?.sendDtmf(command.digits)
    void Promise.resolve(sent).then(() => {
      sendingKeys--
      answer(command, undefined)
    })
  },
  record: ({ party, recording, file, channels }) => {
    const target = streams.get(party) ?? rooms.get(party)
    if (!target) {
      notify({ tell: 'opened', party, recording, open: false })
      return notify({ tell: 'recorded', party, recording, durationMs: 0, truncated: true })
    }
    const { promise, resolve } = Promise.withResolvers<void>()
    unfinished.set(recording, { party, onDisk: promise })
    const open = target.record(recording, file, channels, (result) => {
      notify({ tell: 'recorded', party, recording, ...result })
      unfinished.delete(recording)
      resolve()
    })
    notify({ tell: 'opened', party, recording, open })
  },
  divide: ({ room, recording, left }) => rooms.get(room)?.divide(recording, new Set(left.flatMap((id) => streams.get(id) ?? []))),
  'pause-recording': ({ room, recording, value }) => rooms.get(room)?.pauseRecording(recording, value),
  'stop-recording': ({ party, recording }) => (streams.get(party) ?? rooms.get(party))?.stopRecording(recording),
  tap: ({ stream, tap, buffer, rate }) => streams.get(stream)?.tap(tap, buffer, rate),
  listen: ({ stream, tap, buffer }) => streams.get(stream)?.listen(tap, buffer),
  untap: (command) => {
    streams.get(command.stream)?.untap(command.tap)
    answer(command, undefined)
  },
  figures: (command) => answer(command, streams.get(command.stream)?.figures ?? noFigures),
  'open-room': ({ room }) => void rooms.set(room, new Room(loop, forwarder)),
  add: ({ room, stream }) => {
    const member = streams.get(stream)
    if (member) rooms.get(room)?.add(member)
  },
  remove: ({ room, stream }) => {
    const member = streams.get(stream)
    if (member) rooms.get(room)?.remove(member)
  },
  pacing: (command) => answer(command, loop.lateness.takeCounts()),
  pulse: (command) => answer(command, undefined),
  async end(command) {
    for (const party of [...rooms.keys(), ...streams.keys()]) closeParty(party)
    await onDisk()
    udp.close()
    answer(command, undefined)
    parentPort?.close()
  },
}

const closeParty = (party: PartyId, silently = false): void => {
  rooms.get(party)?.close()
  rooms.delete(party)
  const stream = streams.get(party)
  if (!stream) return
  streams.delete(party)
  stream.close(silently)
  loop.remove(stream)
}

const noFigures = { packetsSent: 0, packetsReceived: 0, packetsLost: 0, packetsRefused: 0, jitterMs: 0 }

const observerOf = (stream: PartyId) => ({
  dtmf: (digit: string, source: 'rfc4733' | 'in-band') => notify({ tell: 'dtmf', stream, digit, source }),
  heard: () => notify({ tell: 'heard', stream }),
  sound: (state: SoundState) => notify({ tell: 'sound', stream, state }),
  silent: () => notify({ tell: 'silent', stream }),
  began: (playback: number) => notify({ tell: 'began', party: stream, playback }),
  played: (playback: number, completed: boolean, playedMs: number) =>
    notify({ tell: 'played', party: stream, playback, completed, playedMs }),
  failed(error: unknown) {
    if (!streams.has(stream)) return
    closeParty(stream)
    notify({ tell: 'lost', stream, why: error instanceof Error ? (error.stack ?? error.message) : String(error) })
  },
})

const waiting: Command[] = []
let working = false

/** Runs commands in order, although some are asynchronous. */
const work = async (): Promise<void> => {
  working = true
  for (let command = waiting.shift(); command; command = waiting.shift()) {
    const done = (handlers[command.do] as (command: Command) => void | Promise<void>)(command)
    if (done) await done
    forwarder.changed()
  }
  working = false
}

parentPort?.on('message', (commands: Command[]) => {
  waiting.push(...commands)
  if (!working) void work()
})
