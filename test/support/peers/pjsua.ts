import { freePorts } from '../machine/free-ports.ts'
import { startPeer, until, type PeerProcess } from '../machine/peer-process.ts'
import { temporaryFolder, type Scope } from '../machine/temporary-folder.ts'

export interface PjsuaOptions {
  user: string
  password: string
  /** host:port of the service. */
  registrar: string
  /** Local address of its SIP and RTP sockets; without it the kernel chooses by destination. */
  listens?: string
  /** Address in its Contact and SDP. */
  names?: string
  /** Calls this number at its start. */
  calls?: string
}

/** pjsua, the softphone of PJSIP: answers every call and sends back what it hears. Logs every SIP message. */
export const startPjsua = async (t: Scope, options: PjsuaOptions): Promise<PeerProcess> => {
  const folder = await temporaryFolder(t)
  const port = await freePorts(t, 6)
  // Its menu reads the terminal and ends with it.
  const peer = startPeer(t, 'sh', ['-c', 'tail -f /dev/null | pjsua "$@"', 'sh', ...argumentsOf(options, port)], folder)
  await until('registration of pjsua', () => {
    if (!peer.running()) throw new Error(`pjsua ended early: ${peer.output().slice(-3000)}`)
    return peer.output().includes('registration success') || undefined
  })
  return peer
}

/** Ports: SIP, then RTP. `auto-update-nat` would correct the addresses that it is told to name. */
const argumentsOf = ({ user, password, registrar, listens, names, calls }: PjsuaOptions, port: number): string[] => [
  ...'--stdout-no-buf --no-color --log-level=5 --app-log-level=5'.split(' '),
  ...'--null-audio --no-vad --ec-tail=0 --auto-loop --auto-answer=200 --auto-update-nat=0 --no-tcp'.split(' '),
  `--local-port=${port}`,
  `--rtp-port=${port + 2}`,
  ...(listens === undefined ? [] : [`--bound-addr=${listens}`]),
  ...(names === undefined ? [] : [`--ip-addr=${names}`]),
  `--id=sip:${user}@${registrar}`,
  `--registrar=sip:${registrar}`,
  '--realm=*',
  `--username=${user}`,
  `--password=${password}`,
  ...(calls === undefined ? [] : [`sip:${calls}@${registrar}`]),
]
