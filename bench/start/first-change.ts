import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { firstChange, take } from '#test/checkout/first-change.ts'

/** Time for the first change of CONTRIBUTING.md, from `git clone` on, without reading and typing. */
const seconds = (begin: number): number => Math.round((performance.now() - begin) / 100) / 10
const folder = mkdtempSync(join(tmpdir(), 'offhook-first-change-'))
const begin = performance.now()
const steps: [string, number][] = []
try {
  execFileSync('git', ['clone', '--quiet', join(import.meta.dirname, '../..'), folder])
  steps.push(['git clone', seconds(begin)])
  for (const step of firstChange(folder)) {
    const from = performance.now()
    const { ok } = take(folder, step)
    const name = step.kind === 'sh' ? step.text.trim() : 'git apply'
    steps.push([ok ? name : `${name} (fails)`, seconds(from)])
  }
  console.log(JSON.stringify({ bench: 'first-change', seconds: seconds(begin), steps }))
} finally {
  rmSync(folder, { recursive: true, force: true })
}
