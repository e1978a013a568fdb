import { temporaryFolder, type Scope } from '../machine/temporary-folder.ts'
import { freePorts } from '../machine/free-ports.ts'
import { listening, startPeer } from '../machine/peer-process.ts'

const relayPorts = 60

export interface Relay {
  /** Control port for a proxy. */
  readonly controlPort: number
  /** Packets relayed so far. */
  packets(): Promise<number>
}

/** rtpengine without its kernel module: audio through a proxy's relay. */
export const startRtpengine = async (t: Scope): Promise<Relay> => {
  const folder = await temporaryFolder(t)
  const port = await freePorts(t, 2 + relayPorts)
  const settings = {
    'config-file': 'none',
    table: -1,
    interface: '127.0.0.1',
    'listen-ng': `127.0.0.1:${port}`,
    'listen-http': `127.0.0.1:${port + 1}`,
    'port-min': port + 2,
    'port-max': port + 1 + relayPorts,
    'num-threads': 2,
    'log-level': 5,
  }
  const args = Object.entries(settings).map(([name, value]) => `--${name}=${value}`)
  const relay = startPeer(t, 'rtpengine', [...args, '--foreground', '--log-stderr'], folder)
  await listening(relay, 'udp', port)
  await listening(relay, 'tcp', port + 1)
  return { controlPort: port, packets: () => relayedPackets(port + 1) }
}

const relayedPackets = async (port: number): Promise<number> => {
  const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  return Number(/^rtpengine_packets_total\{[^}]*type="userspace"[^}]*\} (\d+)/m.exec(metrics)?.[1] ?? 0)
}
