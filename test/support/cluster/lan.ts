import { execFile } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { promisify } from 'node:util'
import type { Scope } from '../machine/temporary-folder.ts'

const run = promisify(execFile)
const attempts = 20

/** Network for benchmarks (RFC 2544), which no real machine uses. */
const networkOf = (place: number): string => `198.18.${place}`

/** A bridge with machines of their own (network namespaces); programs of the test itself have addresses on it too. Needs root. */
export class Lan {
  /** Names of the machines for `ip netns exec`; the first has address 1. */
  readonly machines: readonly string[]
  readonly #network: string
  readonly #bridge: string

  private constructor(place: number, machines: number) {
    this.#network = networkOf(place)
    this.#bridge = `oh-br${place}`
    this.machines = Array.from({ length: machines }, (_, index) => `oh-${place}-${index + 1}`)
  }

  static async isPossible(): Promise<boolean> {
    return run('unshare', ['--net', 'ip', 'link', 'add', 'type', 'bridge']).then(
      () => true,
      () => false,
    )
  }

  /** `own`: last parts of the test's own addresses. */
  static async open(t: Scope, machines: number, own: readonly number[]): Promise<Lan> {
    for (let attempt = 0; attempt < attempts; attempt++) {
      const lan = new Lan(randomInt(255), machines)
      const isOurs = await run('ip', ['link', 'add', lan.#bridge, 'type', 'bridge']).then(
        () => true,
        () => false,
      )
      if (!isOurs) continue
      t.after(() => lan.#close())
      await lan.#build(own)
      return lan
    }
    throw new Error('no free network')
  }

  address(last: number): string {
    return `${this.#network}.${last}`
  }

  /** Last parts of the addresses that a machine has now. */
  async addressesOf(machine: string): Promise<string[]> {
    const { stdout } = await run('ip', ['-n', machine, '-4', '-o', 'addr', 'show', 'dev', 'eth0'])
    return [...stdout.matchAll(/inet (\S+)\//g)].map(([, address]) => address ?? '')
  }

  async #build(own: readonly number[]): Promise<void> {
    for (const last of own) await run('ip', ['addr', 'add', `${this.address(last)}/24`, 'dev', this.#bridge])
    await run('ip', ['link', 'set', this.#bridge, 'up'])
    for (const [index, machine] of this.machines.entries()) {
      const cable = this.#cableOf(index)
      await run('ip', ['netns', 'add', machine])
      await run('ip', ['link', 'add', cable, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', machine])
      await run('ip', ['link', 'set', cable, 'master', this.#bridge, 'up'])
      await run('ip', ['-n', machine, 'addr', 'add', `${this.address(index + 1)}/24`, 'dev', 'eth0'])
      for (const device of ['eth0', 'lo']) await run('ip', ['-n', machine, 'link', 'set', device, 'up'])
    }
  }

  #cableOf(index: number): string {
    return `${this.#bridge}-${index + 1}`
  }

  /** Cables one by one: connections that a killed program left half closed keep its namespace for minutes. */
  async #close(): Promise<void> {
    for (const [index, machine] of this.machines.entries()) {
      await run('ip', ['link', 'del', this.#cableOf(index)]).catch(() => {})
      await run('ip', ['netns', 'del', machine]).catch(() => {})
    }
    await run('ip', ['link', 'del', this.#bridge])
  }
}
