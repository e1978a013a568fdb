import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '#test/machine/temporary-folder.ts'
import { readableStack } from './log.ts'

test('a line of a built program names its source; lines of others stay as they are', async (t) => {
  const folder = await temporaryFolder(t)
  const built = join(folder, 'main-1a.js')
  writeFileSync(built, ['import x', '// packages/server/src/a.ts', 'f()', '', '// packages/server/src/b/c.ts', 'g()'].join('\n'))
  const stack = [
    'Error: /tmp/x.js:1:1 is not a place of ours',
    `    at f (file://${built}:3:5)`,
    `    at ${built}:6:1`,
    `    at first (${built}:1:1)`,
    `    at gone (${join(folder, 'gone.js')}:1:1)`,
    '    at node:internal/process/task_queues:72:10',
  ].join('\n')
  assert.deepEqual(readableStack(stack, folder).split('\n'), [
    'Error: /tmp/x.js:1:1 is not a place of ours',
    `    at f (packages/server/src/a.ts, file://${built}:3:5)`,
    `    at packages/server/src/b/c.ts, ${built}:6:1`,
    `    at first (${built}:1:1)`,
    `    at gone (${join(folder, 'gone.js')}:1:1)`,
    '    at node:internal/process/task_queues:72:10',
  ])
})
