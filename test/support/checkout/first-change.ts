import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface Step {
  kind: 'sh' | 'diff'
  text: string
}

/** Steps of a new contributor in CONTRIBUTING.md, in order. */
export const firstChange = (folder: string): Step[] => {
  const [, rest = ''] = readFileSync(join(folder, 'CONTRIBUTING.md'), 'utf8').split(/^## Your first change$/m)
  const [section = ''] = rest.split(/^## /m)
  return [...section.matchAll(/^```(sh|diff)\n(.*?)^```$/gms)].map(([, kind, text = '']) => ({ kind: kind as Step['kind'], text }))
}

/** Runs a step verbatim, and reports success. */
export const take = (folder: string, { kind, text }: Step, environment: NodeJS.ProcessEnv = process.env): { ok: boolean; said: string } => {
  if (kind === 'diff') {
    execFileSync('git', ['apply', '-'], { cwd: folder, input: text })
    return { ok: true, said: '' }
  }
  const { status, stdout, stderr } = spawnSync('sh', ['-ec', text], { cwd: folder, env: environment, encoding: 'utf8' })
  return { ok: status === 0, said: stdout + stderr }
}
