import { join } from 'node:path'
import { readInstance, type InstanceNotes } from '#adapters/machine/instance-file.ts'
import { inClone, repository } from '#places.ts'
import { environmentWithFile } from '#settings/config-file.ts'

/** What was found where a service of this machine leaves its notes. */
export interface FoundInstance {
  notes: InstanceNotes
  /** running: it answers, and it is the one of the notes. silent: its process is there, but does not answer. gone: it left the notes behind. */
  state: 'running' | 'silent' | 'gone'
}

/** Where data may be: as the settings say; else in this folder, or in the clone, so that commands work in every folder. */
export const dataFolders = (environment: Readonly<Record<string, string | undefined>>): string[] => {
  const { OFFHOOK_DATA: named } = environmentWithFile(environment)
  if (named !== undefined) return [named]
  return inClone ? ['data', join(repository, 'data')] : ['data']
}

/** The first that runs; else the first that left something. */
export const findInstance = async (folders: readonly string[]): Promise<FoundInstance | undefined> => {
  const found: FoundInstance[] = []
  for (const folder of folders) {
    const notes = await readInstance(folder)
    if (notes) found.push({ notes, state: await stateOf(notes) })
  }
  return found.find(({ state }) => state === 'running') ?? found[0]
}

const stateOf = async ({ pid, instance, addresses }: InstanceNotes): Promise<FoundInstance['state']> => {
  if ((await askHealth(addresses.http))?.instance === instance) return 'running'
  return isAlive(pid) ? 'silent' : 'gone'
}

export interface Health {
  instance?: string
  /** By its clock, to the second. */
  at: number
}

/** What the service at an address says about itself; undefined when nothing answers there. */
export const askHealth = async (url: string): Promise<Health | undefined> => {
  try {
    const reply = await fetch(`${url}/health`, { signal: AbortSignal.timeout(3_000) })
    const text = await reply.text()
    const { instance } = (reply.ok ? JSON.parse(text) : {}) as { instance?: string }
    return { ...(instance !== undefined && { instance }), at: Date.parse(reply.headers.get('date') ?? '') }
  } catch {
    return undefined
  }
}

/** A number that another program got since the service was killed counts as alive; then it is silent all the same. */
const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
