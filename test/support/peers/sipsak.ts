import { randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { temporaryFolder, type Scope } from '../machine/temporary-folder.ts'
import { startPeer } from '../machine/peer-process.ts'
import { within } from '../machine/within.ts'

export interface SipsakMessage {
  /** host:port of the service. */
  server: string
  /** User part of the recipient. */
  to: string
  text: string
  login: { user: string; password: string }
}

const limitMs = 60_000

/** Sends one MESSAGE with a third-party tool, which answers challenges itself; returns the status of the last response. */
export const sipsak = async (t: Scope, message: SipsakMessage): Promise<number> => {
  const { server, to, login } = message
  const folder = await temporaryFolder(t)
  const file = join(folder, 'message')
  await writeFile(file, written(message)) // its own mode for messages (-M) crashes
  const args = ['-vvv', '-f', file, '-u', login.user, '-a', login.password, '-s', `sip:${to}@${server}`]
  const peer = startPeer(t, 'sipsak', args, folder)
  await within(limitMs, 'sipsak', peer.ended)
  const statuses = [...peer.output().matchAll(/^SIP\/2\.0 (\d{3})/gm)].map(([, status]) => Number(status))
  const last = statuses.at(-1)
  if (last === undefined) throw new Error(`sipsak got no answer: ${peer.output()}`)
  return last
}

const written = ({ server, to, text, login }: SipsakMessage): string =>
  [
    `MESSAGE sip:${to}@${server} SIP/2.0`,
    `From: <sip:${login.user}@${server}>;tag=${randomUUID()}`,
    `To: <sip:${to}@${server}>`,
    `Call-ID: ${randomUUID()}`,
    'CSeq: 1 MESSAGE',
    'Max-Forwards: 70',
    'Content-Type: text/plain;charset=UTF-8',
    `Content-Length: ${Buffer.byteLength(text)}`,
    '',
    text,
  ].join('\r\n')
