import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { cutRelease } from './cut/cut-release.ts'

const root = join(import.meta.dirname, '..')
const { positionals, values } = parseArgs({ allowPositionals: true, options: { proven: { type: 'boolean', default: false } } })
const [version] = positionals
if (version === undefined) {
  console.error('npm run release -- 0.2.0 [--proven]    --proven: .ci/run has passed on this very commit')
  process.exit(2)
}
const run = (command: string, ...args: string[]): unknown => execFileSync(command, args, { cwd: root, stdio: 'inherit' })
try {
  cutRelease({
    root,
    version,
    date: new Date().toISOString().slice(0, 10),
    prove: () => values.proven || run('.ci/run'),
  })
  console.log(`Version ${version} is tagged. Publish it with: git push origin main v${version}`)
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exit(1)
}
