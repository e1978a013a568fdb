import { firstRun, firstRunSetting, type FirstRunFacts, type FirstRunDeps } from '#core/operate/first-run/first-run.ts'
import type { Installation } from '#http/handler/handler-deps.ts'
import { access, mkdir, open, rename } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** Content of `first-run.json`. */
export interface FirstRunNotes {
  console: string
  baseUrl: string
  authUrl: string
  email?: string
  password?: string
  sip?: { user: string; password: string; server: string }
  number?: string
  flowId?: string
  accountId?: string
  token?: string
  operator: FirstRunFacts['operator']
}

export interface FirstStart {
  /** Path of the file; undefined when this machine has none. */
  file: string | undefined
  /** Only on the first start itself. */
  notes: FirstRunNotes | undefined
}

type FirstStartDeps = FirstRunDeps & { installation: Installation }

/** The first start leaves a file for people; a later start completes it if the first was interrupted. */
export const firstStart = async (deps: FirstStartDeps, { data, demo }: { data: string; demo: boolean }): Promise<FirstStart> => {
  const file = new FirstRunFile(data)
  const keep = (id: string, facts: FirstRunFacts) => file.draft(id, toNotes(deps.installation, facts))
  const facts = await firstRun(deps, { demo, keep })
  const id = await deps.store.read.settings.get(firstRunSetting)
  if (id !== undefined) await file.publish(id)
  return { file: (await file.exists()) ? file.path : undefined, notes: facts && toNotes(deps.installation, facts) }
}

const toNotes = ({ publicUrl, sip }: Installation, { operator, demo }: FirstRunFacts): FirstRunNotes => {
  const url = publicUrl()
  return {
    console: `${url}/console/`,
    baseUrl: url,
    authUrl: `${url}/login`,
    ...(demo && {
      email: demo.email,
      password: demo.password,
      sip: { ...demo.sip, server: `${sip.host}:${sip.port}` },
      number: demo.number,
      flowId: demo.flowId,
      accountId: demo.accountId,
      token: demo.token,
    }),
    operator,
  }
}

/** First-start notes for the operator, in a file that only its owner can read. */
class FirstRunFile {
  readonly path: string

  constructor(folder: string) {
    this.path = join(folder, 'first-run.json')
  }

  /** Flushed to disk under a temporary name: whether this start is the first is not decided yet. */
  async draft(id: string, content: object): Promise<void> {
    await mkdir(dirname(this.path), { recursive: true, mode: 0o700 })
    const file = await open(this.#draftOf(id), 'w', 0o600)
    try {
      await file.writeFile(`${JSON.stringify(content, null, 2)}\n`)
      await file.sync()
    } finally {
      await file.close()
    }
  }

  /** Renames the draft of this first start. Does nothing if this process or another one has done so. */
  async publish(id: string): Promise<void> {
    try {
      await rename(this.#draftOf(id), this.path)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    }
  }

  async exists(): Promise<boolean> {
    return access(this.path).then(
      () => true,
      () => false,
    )
  }

  #draftOf(id: string): string {
    return `${this.path}.${id}`
  }
}
