import { connect } from 'node:net'
import koffi from 'koffi'
import { FaxRtp, frameSamples, type Modem } from '#media/fax/fax-rtp.ts'
import { FaxSocket } from '#media/fax/fax-host.ts'
import { openKoffi } from '#media/socket/socket-koffi.ts'
import { PortTaken } from '#media/socket/socket.ts'
import type { ModemCommand, ModemNotice } from './efax-modem.ts'

/**
 * Software fax modem: AT commands on a Unix socket, tones over RTP. Only the tones (T.31) come from the library that the service uses; the fax
 * machine, T.30 and T.4, is the program that sends the commands.
 */
const library = koffi.load('libspandsp.so.2')
koffi.proto('int WriteToComputer(void *, void *, void *, size_t)')
koffi.proto('int Control(void *, void *, int, void *)')
koffi.proto('int SendNoIfp(void *, void *, void *, int, int)')
const t31 = {
  init: library.func('void *t31_init(void *, WriteToComputer *, void *, Control *, void *, SendNoIfp *, void *)'),
  command: library.func('int t31_at_rx(void *, void *, int)'),
  event: library.func('void t31_call_event(void *, int)'),
  hear: library.func('int t31_rx(void *, void *, int)'),
  hearNothing: library.func('int t31_rx_fillin(void *, int)'),
  speak: library.func('int t31_tx(void *, void *, int)'),
  transmitOnIdle: library.func('void t31_set_transmit_on_idle(void *, int)'),
}
const register = (prototype: string, called: (...args: never[]) => number): bigint => koffi.register(called, koffi.pointer(prototype))

/** AT_MODEM_CONTROL_… */
const controls = { call: 0, answer: 1, hangUp: 2, clearToSend: 7 }
/** AT_CALL_EVENT_… */
const events = { connected: 2, answered: 3, busy: 4, 'no answer': 6, 'hung up': 7 }
/** Its buffer is 4 KiB and overflows silently: small chunks, and only while it reports room. */
const chunkBytes = 64

const [commandSocket = ''] = process.argv.slice(2)
const notify = (notice: ModemNotice): void => void process.send?.(notice, undefined, undefined, () => {})
const computer = connect(commandSocket)
const state = { offHook: false, clearToSend: true, commands: Buffer.alloc(0) }

const isSet = (pointer: unknown): boolean => pointer !== null && pointer !== 0n && pointer !== 0

const controlled = (_modem: unknown, _user: unknown, what: number, pointer: unknown): number => {
  if (what === controls.clearToSend) {
    state.clearToSend = isSet(pointer)
    if (state.clearToSend) setImmediate(feed)
  } else if (what === controls.call) {
    notify({ tell: 'dial', number: isSet(pointer) ? (koffi.decode(pointer, 'char', -1) as string) : '' })
  } else if (what === controls.answer) notify({ tell: 'answer' })
  else if (what === controls.hangUp) {
    state.offHook = false
    notify({ tell: 'hung up' })
  }
  return 0
}

const write = (_modem: unknown, _user: unknown, bytes: unknown, length: number | bigint): number => {
  computer.write(Buffer.from(koffi.decode(bytes, koffi.array('uint8_t', Number(length), 'Typed')) as Uint8Array))
  return 0
}

const modem: unknown = t31.init(
  null,
  register('WriteToComputer', write),
  null,
  register('Control', controlled),
  null,
  register('SendNoIfp', () => 0),
  null,
)
t31.transmitOnIdle(modem, 1)

const feed = (): void => {
  while (state.clearToSend && state.commands.length > 0) {
    const piece = state.commands.subarray(0, chunkBytes)
    state.commands = state.commands.subarray(piece.length)
    t31.command(modem, Buffer.from(piece), piece.length)
  }
}
computer.on('data', (bytes) => {
  // Receive or transmit faster than V.21: the channel check, then each page.
  if (/\+F[RT]M=\d/.test(bytes.toString('latin1'))) notify({ tell: 'data' })
  state.commands = Buffer.concat([state.commands, bytes])
  feed()
})

const tones: Modem = {
  hear: (samples) => t31.hear(modem, samples, samples.length) as void,
  hearNothing: (count) => t31.hearNothing(modem, count) as void,
  speak: (samples) => t31.speak(modem, samples, samples.length) as void,
}

const udp = openKoffi()
const rtp = new FaxRtp((bytes) => socket.send(bytes))

/** Binds a free port of these; other tests use the range, too. */
const openSocket = async (): Promise<{ port: number; socket: FaxSocket }> => {
  for (;;) {
    const port = 50_000 + 2 * Math.floor(Math.random() * 5000)
    try {
      return { port, socket: await FaxSocket.open(udp, '127.0.0.1', port, (bytes) => rtp.receive(bytes)) }
    } catch (error) {
      if (!(error instanceof PortTaken)) throw error
    }
  }
}

const { port, socket } = await openSocket()
let dueMs = performance.now()
/** A socket returns one packet per read. */
const roundsPerTurn = 8
const turn = (): void => {
  for (let round = 0; round < roundsPerTurn; round++) udp.poll(performance.now())
  for (; dueMs <= performance.now(); dueMs += (frameSamples / 8000) * 1000) if (state.offHook) rtp.tick(tones)
  setTimeout(turn, Math.max(1, dueMs - performance.now()))
}
turn()

process.on('message', (command: ModemCommand) => {
  if (command.do === 'configure') {
    rtp.configure(command.settings)
    socket.turnTo(command.settings)
  } else {
    state.offHook = command.event === 'connected' || command.event === 'answered'
    t31.event(modem, events[command.event])
  }
})
process.on('disconnect', () => process.exit())
computer.once('connect', () => notify({ tell: 'ready', port }))
