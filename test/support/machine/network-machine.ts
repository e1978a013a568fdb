import { execFile, type ExecFileOptions } from 'node:child_process'
import { readlink } from 'node:fs/promises'
import { promisify } from 'node:util'
import { startPeer, until, type PeerProcess } from './peer-process.ts'
import type { Scope } from './temporary-folder.ts'

const run = promisify(execFile)
const bridge = 'machines'

/** Devices of `runInOwnNetwork` for a test with `NetworkMachine`s: a bridge, where the test itself has these addresses. */
export const bridgeAt = (...addresses: readonly string[]): string => {
  const added = addresses.map((address) => `ip address add ${address}/24 dev ${bridge}`)
  return [`ip link add ${bridge} type bridge`, ...added, `ip link set ${bridge} up`].join(' && ')
}

/** Machine with its own network: a namespace, connected to the bridge. It disappears with the process that holds it. */
export class NetworkMachine {
  readonly address: string
  /** Runs a command there. */
  readonly within: readonly string[]

  private constructor(address: string, pid: number) {
    this.address = address
    this.within = ['nsenter', `--net=/proc/${pid}/ns/net`]
  }

  /** `address`: in the network of the bridge. */
  static async open(t: Scope, address: string): Promise<NetworkMachine> {
    const holder = startPeer(t, 'unshare', ['--net', 'sleep', 'infinity'], '/')
    const ours = await readlink('/proc/self/ns/net')
    await until('the namespace', async () => (await readlink(`/proc/${holder.pid}/ns/net`)) !== ours)
    const machine = new NetworkMachine(address, holder.pid)
    const cable = `to-${address.split('.').at(-1)}`
    await run('ip', ['link', 'add', cable, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', String(holder.pid)])
    await run('ip', ['link', 'set', cable, 'master', bridge, 'up'])
    await machine.run(['ip', 'address', 'add', `${address}/24`, 'dev', 'eth0'])
    for (const device of ['lo', 'eth0']) await machine.run(['ip', 'link', 'set', device, 'up'])
    return machine
  }

  /** Starts a third-party program there. */
  start(t: Scope, command: string, args: readonly string[], folder: string): PeerProcess {
    const [first = '', ...rest] = [...this.within, command, ...args]
    return startPeer(t, first, rest, folder)
  }

  /** Addresses that it has now. */
  async addresses(): Promise<string[]> {
    const shown = await this.run(['ip', '-4', '-o', 'addr', 'show', 'dev', 'eth0'])
    return [...shown.matchAll(/inet (\S+)\//g)].map(([, address]) => address ?? '')
  }

  async run(command: readonly string[], options: ExecFileOptions = {}): Promise<string> {
    const [first = '', ...rest] = [...this.within, ...command]
    return (await run(first, rest, { ...options, encoding: 'utf8' })).stdout
  }
}
