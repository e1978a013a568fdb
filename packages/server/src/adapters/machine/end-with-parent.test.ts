import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { test } from 'node:test'

const skip = process.platform !== 'linux' && 'other systems do not tell'

test('a process left behind by a shell gets the SIGTERM that was meant for it', { skip }, async () => {
  const program = `
    import { endWithParent } from ${JSON.stringify(join(import.meta.dirname, 'end-with-parent.ts'))}
    process.once('SIGTERM', () => { console.log('asked to end'); process.exit(0) })
    endWithParent()
    console.log('runs')
    setInterval(() => {}, 60_000)`
  // A shell with a further command stays in between, like that of npx.
  const shell = spawn('sh', ['-c', '"$0" --input-type=module -e "$1"; true', process.execPath, program])
  const written: string[] = []
  shell.stdout.on('data', (piece: Buffer) => written.push(piece.toString()))
  await once(shell.stdout, 'data')
  shell.kill('SIGTERM')
  await once(shell, 'close')
  assert.equal(written.join(''), 'runs\nasked to end\n')
})
