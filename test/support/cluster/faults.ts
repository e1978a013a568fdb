import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { until } from '../machine/peer-process.ts'
import type { FaultScene } from './fault-scene.ts'
import type { ServiceProcess } from './service-process.ts'

/** Observations during the fault, for the table. */
export interface Seen {
  /** Milliseconds until the fault was noticed. */
  noticedMs?: number
  /** Milliseconds until two-way audio of a call placed during the fault. */
  callMs?: number
}

export interface Fault {
  name: string
  /** Included in the short form. */
  short: boolean
  /** Maximum silence in milliseconds; several times the goal, because a busy machine is not a failure. */
  maxSilenceMs: number
  /** Resolves when the fault is over, or when its expected effect has occurred; everything is repaired afterwards. */
  strike(scene: FaultScene): Promise<Seen>
}

const since = async (work: () => Promise<unknown>): Promise<number> => {
  const at = performance.now()
  await work()
  return Math.round(performance.now() - at)
}

const none = async (scene: FaultScene, process: ServiceProcess): Promise<void> => {
  await until(`the calls of ${process.name} are taken over`, async () => (await scene.callsOf(process)) === 0 || undefined, 60_000)
}

const allNotice = (scene: FaultScene): Promise<number> =>
  since(() =>
    Promise.all(scene.cluster.processes.map((process) => until('it says so', async () => !(await process.isReady()) || undefined, 60_000))),
  )

/** The data of B is on a separate disk. */
const fillDisk = async (folder: string): Promise<string> => {
  const file = join(folder, 'filler')
  await writeFile(file, Buffer.alloc(64 * 1024 * 1024)).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOSPC') throw error
  })
  return file
}

/** Faults that an installation must survive. `test/cluster/database-failover.test.ts` covers a promoted replica. */
export const faults: readonly Fault[] = [
  {
    name: 'a process is killed (kill -9)',
    short: true,
    maxSilenceMs: 15_000,
    async strike(scene) {
      const process = scene.cluster.process('C')
      await process.kill()
      const callMs = await scene.callInBetween()
      return { callMs, noticedMs: await since(() => none(scene, process)) }
    },
  },
  {
    name: 'all processes are killed (kill -9) and started again',
    short: false,
    // All start at the same time on this machine, and take calls 8 s after that.
    maxSilenceMs: 60_000,
    async strike(scene) {
      const { cluster } = scene
      await scene.saved()
      const noticedMs = await since(async () => {
        await Promise.all(cluster.processes.map((process) => process.kill()))
        await Promise.all(cluster.processes.map((process) => process.start()))
        await cluster.settled()
      })
      return { noticedMs, callMs: await scene.callInBetween() }
    },
  },
  {
    name: 'a process stands still (SIGSTOP), then goes on',
    short: false,
    maxSilenceMs: 15_000,
    async strike(scene) {
      const process = scene.cluster.process('B')
      process.freeze()
      const noticedMs = await since(() => none(scene, process))
      process.thaw()
      await until('it is back', async () => (await process.isReady()) || undefined)
      return { noticedMs, callMs: await scene.callInBetween() }
    },
  },
  {
    name: 'processes stand still for about a second, one after the other',
    short: false,
    maxSilenceMs: 15_000,
    async strike(scene) {
      for (const [nth, ms] of [600, 800, 1_000, 1_300, 1_600, 2_000].entries()) {
        const process = scene.cluster.processes[nth % scene.cluster.processes.length]
        process?.freeze()
        const frozenAt = performance.now()
        await until('the stall is over', () => performance.now() - frozenAt > ms || undefined)
        process?.thaw()
        await until('it is back', async () => (await process?.isReady()) || undefined)
      }
      return { callMs: await scene.callInBetween() }
    },
  },
  {
    name: 'PostgreSQL is stopped and started',
    short: true,
    maxSilenceMs: 2_000,
    async strike(scene) {
      await scene.database.end('SIGINT')
      const noticedMs = await allNotice(scene)
      await scene.database.start()
      return { noticedMs }
    },
  },
  {
    name: 'PostgreSQL is killed and recovers',
    short: false,
    maxSilenceMs: 2_000,
    async strike(scene) {
      await scene.database.end('SIGKILL')
      const noticedMs = await allNotice(scene)
      await scene.database.start()
      return { noticedMs }
    },
  },
  {
    name: 'connections to PostgreSQL are half-open',
    short: true,
    maxSilenceMs: 2_000,
    async strike(scene) {
      await scene.link.become({ kind: 'swallow' })
      return { noticedMs: await allNotice(scene) }
    },
  },
  {
    name: 'PostgreSQL is slow by 200 ms',
    short: false,
    maxSilenceMs: 2_000,
    async strike(scene) {
      await scene.link.become({ kind: 'slow', ms: 200 })
      return { callMs: await scene.callInBetween() }
    },
  },
  {
    name: 'the bus is killed and started again',
    short: true,
    maxSilenceMs: 2_000,
    async strike(scene) {
      const { nats } = scene.cluster
      await nats.stop()
      const callMs = await scene.callInBetween()
      await nats.startAgain()
      return { callMs }
    },
  },
  {
    name: 'the bus stands still (SIGSTOP)',
    short: false,
    maxSilenceMs: 2_000,
    async strike(scene) {
      const { nats } = scene.cluster
      process.kill(nats.pid, 'SIGSTOP')
      const callMs = await scene.callInBetween()
      process.kill(nats.pid, 'SIGCONT')
      return { callMs }
    },
  },
  {
    name: 'the edge is killed and started again',
    short: true,
    maxSilenceMs: 2_000,
    async strike(scene) {
      const { edge } = scene.cluster
      await edge.stop()
      await edge.start()
      await scene.cluster.settled()
      const callMs = await scene.callInBetween()
      await scene.registerAgain()
      return { callMs }
    },
  },
  {
    name: 'every process is restarted, one after the other (SIGTERM)',
    short: true,
    maxSilenceMs: 5_000,
    async strike(scene) {
      const noticedMs = await since(async () => {
        for (const process of scene.cluster.processes) {
          await process.terminate()
          await process.start()
          await scene.cluster.settled()
        }
      })
      return { noticedMs, callMs: await scene.callInBetween() }
    },
  },
  {
    name: 'the disk of a process is full',
    short: false,
    maxSilenceMs: 2_000,
    async strike(scene) {
      const file = await fillDisk(scene.cluster.process('B').data)
      const calls: number[] = []
      for (let call = 0; call < scene.cluster.processes.length; call++) calls.push(await scene.callInBetween())
      await rm(file)
      return { callMs: Math.max(...calls) }
    },
  },
]
