import { spawn, type ChildProcess } from 'node:child_process'
import { globSync, watch } from 'node:fs'
import { join } from 'node:path'

/** `npm run test:watch -- core/money`: runs the tests of a room, package or folder, and again after each change of a source. */
const root = join(import.meta.dirname, '..')
const [room = ''] = process.argv.slice(2)
/** An editor writes a file in several steps. */
const settleMs = 200

const places = [`packages/server/src/${room}`, `packages/${room}/src`, `test/${room}`, room]
const files = (): string[] =>
  places
    .map((place) => globSync(`${place}/**/*.test.ts`, { cwd: root, exclude: ['**/node_modules/**'] }))
    .find((found) => found.length > 0) ?? []

if (room === '' || files().length === 0) {
  console.error(`There are no tests in "${room}". Name a room, a package or a folder: npm run test:watch -- core/money`)
  process.exit(1)
}

let child: ChildProcess | undefined
let changed: NodeJS.Timeout | undefined
let isOutdated = false

const run = (): void => {
  isOutdated = false
  child = spawn(process.execPath, [join(import.meta.dirname, 'run.ts'), ...files()], { cwd: root, stdio: 'inherit' })
  child.once('exit', () => {
    child = undefined
    if (isOutdated) run()
  })
}

const rerun = (): void => {
  isOutdated = true
  if (child) child.kill('SIGTERM')
  else run()
}

for (const folder of ['packages', 'test'])
  watch(join(root, folder), { recursive: true }, (_event, name) => {
    if (name === null || !/\.tsx?$/.test(name) || name.includes('node_modules')) return
    clearTimeout(changed)
    changed = setTimeout(rerun, settleMs)
  })
run()
