import { duplexPair } from 'node:stream'
import type { Duplex } from 'node:stream'
import type { TestContext } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { decodePdu } from '../pdu/decode.ts'
import { encodePdu } from '../pdu/encode.ts'
import { PduFramer } from '../pdu/framing.ts'
import { messageFields } from '../pdu/pdu.ts'
import type { MessageFields, Pdu } from '../pdu/pdu.ts'
import { SmppSession } from '../session/session.ts'
import type { MessageReply, SessionOptions } from '../session/session-options.ts'
import { status } from '../pdu/status.ts'
import { VirtualClock } from '#test/clock/virtual-clock.ts'

export const smppAddress = { ton: 1, npi: 1, value: '491701234567' }
export const smppMessage = (text = 'x'): MessageFields =>
  messageFields({ source: smppAddress, destination: smppAddress, shortMessage: Buffer.from(text) })
const ok = async (): Promise<MessageReply> => ({ status: status.ok, messageId: 'm' })
/** Waits until all written data was read and answered. */
export const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 12; turn++) await setImmediate()
}

interface Pair {
  clock: VirtualClock
  esme: SmppSession
  smsc: SmppSession
}

export const openSession = (
  t: TestContext,
  socket: Duplex,
  options: Omit<Partial<SessionOptions>, 'socket'> & Pick<SessionOptions, 'role' | 'clock'>,
): SmppSession => {
  const session = new SmppSession({ message: ok, ...options, socket })
  t.after(() => session.destroy('the test is over'))
  return session
}

/** Both sides are ours, connected in memory. */
export const smppPair = async (
  t: TestContext,
  forEsme: Partial<SessionOptions> = {},
  forSmsc: Partial<SessionOptions> = {},
): Promise<Pair> => {
  const clock = new VirtualClock(0)
  const [here, there] = duplexPair()
  const smsc = openSession(t, there, { role: 'smsc', clock, bind: async () => ({ status: status.ok, systemId: 'SMSC' }), ...forSmsc })
  const esme = openSession(t, here, { role: 'esme', clock, ...forEsme })
  await esme.bind({ systemId: 'someone', password: 'secret' })
  return { clock, esme, smsc }
}

/** A far end controlled by the test. */
export const byHand = (t: TestContext, options: Partial<SessionOptions> = {}) => {
  const clock = new VirtualClock(0)
  const [here, there] = duplexPair()
  const session = openSession(t, here, { role: 'esme', clock, ...options })
  const framer = new PduFramer()
  const received: Pdu[] = []
  there.on('data', (chunk: Buffer) => {
    framer.push(chunk)
    for (let pdu = framer.next(); pdu; pdu = framer.next()) received.push(decodePdu(pdu))
  })
  const say = (pdu: Pdu | Buffer): void => void there.write(Buffer.isBuffer(pdu) ? pdu : encodePdu(pdu))
  const bind = async (): Promise<void> => {
    const bound = session.bind({ systemId: 'a', password: 'b' })
    await settle()
    say({ command: 'bind_transceiver_resp', status: 0, sequence: received.shift()!.sequence, systemId: 'S', tlvs: {} })
    await bound
  }
  return { clock, session, there, received, say, bind }
}
