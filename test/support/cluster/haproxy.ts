import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestCertificate } from '../machine/certificate.ts'
import { freePorts } from '../machine/free-ports.ts'
import { listening, startPeer, type PeerProcess } from '../machine/peer-process.ts'
import { temporaryFolder, type Scope } from '../machine/temporary-folder.ts'

const shipped = join(import.meta.dirname, '../../../deploy/haproxy/haproxy.cfg')

export interface HaproxyOptions {
  host: string
  /** host:port of three processes. */
  processes: readonly string[]
  /** host:port of the edge's WebSocket. */
  edgeWs: string
  certificate: TestCertificate
}

export interface Haproxy {
  readonly http: string
  readonly https: string
  readonly peer: PeerProcess
}

/** HAProxy with the shipped configuration from `deploy`; its addresses come from the environment. */
export const startHaproxy = async (t: Scope, { host, processes, edgeWs, certificate }: HaproxyOptions): Promise<Haproxy> => {
  const folder = await temporaryFolder(t)
  const port = await freePorts(t, 2)
  const pem = join(folder, 'offhook.pem')
  await writeFile(pem, certificate.cert + certificate.key)
  const file = join(folder, 'haproxy.cfg')
  // A test may have fewer file descriptors than a server.
  await writeFile(file, (await readFile(shipped, 'utf8')).replace('maxconn 8000', 'maxconn 400'))
  const [a = '', b = '', c = ''] = processes
  const environment = {
    OFFHOOK_HTTPS: `${host}:${port}`,
    OFFHOOK_HTTP_INSIDE: `${host}:${port + 1}`,
    OFFHOOK_CERTIFICATE: pem,
    OFFHOOK_PROCESS_A: a,
    OFFHOOK_PROCESS_B: b,
    OFFHOOK_PROCESS_C: c,
    OFFHOOK_EDGE_WS: edgeWs,
  }
  const set = Object.entries(environment).map(([name, value]) => `${name}=${value}`)
  const peer = startPeer(t, 'env', [...set, 'haproxy', '-db', '-f', file], folder)
  await listening(peer, 'tcp', port)
  await listening(peer, 'tcp', port + 1)
  return { https: `https://${host}:${port}`, http: `http://${host}:${port + 1}`, peer }
}
