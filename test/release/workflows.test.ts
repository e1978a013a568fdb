import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { parse } from 'yaml'

const root = join(import.meta.dirname, '../..')
const read = (path: string): string => readFileSync(join(root, path), 'utf8')
const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }

interface Workflow {
  on: object
  permissions: object
  jobs: Record<string, { 'runs-on': string; 'timeout-minutes': number; steps: { uses?: string; run?: string }[] }>
}

const workflows = globSync('.github/workflows/*.yml', { cwd: root })
const commandsOf = ({ jobs }: Workflow): string[] => Object.values(jobs).flatMap(({ steps }) => steps.flatMap(({ run }) => run ?? []))

for (const path of workflows) {
  test(`${path}: limits every job's time and permissions, and runs existing scripts`, () => {
    const workflow = parse(read(path)) as Workflow
    assert.ok(workflow.permissions, 'permissions are said')
    for (const [name, job] of Object.entries(workflow.jobs)) {
      assert.ok(job['runs-on'] && job['timeout-minutes'] > 0, name)
      for (const step of job.steps) assert.ok((step.uses === undefined) !== (step.run === undefined), `${name}: one of uses and run`)
      for (const { uses } of job.steps) if (uses !== undefined) assert.match(uses, /^[\w.-]+(\/[\w.-]+)+@v\d+/, 'a version is named')
    }
    for (const command of commandsOf(workflow)) {
      for (const [, script = ''] of command.matchAll(/npm run ([\w:]+)/g)) assert.ok(scripts[script], `npm run ${script}`)
      for (const [file] of command.matchAll(/(?<=^|\s)(?:test|release(?!\/out)|deploy|bin|\.ci)\/[\w./-]+(?:\.\w+|run)(?=\s|$)/gm))
        assert.ok(existsSync(join(root, file)), file)
    }
  })
}

test('calls .ci/run in the workflow for every change, with the history for upgrade tests', () => {
  const commands = commandsOf(parse(read('.github/workflows/ci.yml')) as Workflow)
  assert.ok(commands.includes('.ci/run'))
  assert.match(read('.github/workflows/ci.yml'), /fetch-depth: 0/)
})

test('has valid YAML in issue forms and the update configuration', () => {
  for (const path of globSync('.github/ISSUE_TEMPLATE/{bug,wish}.yml', { cwd: root })) {
    const { name, description, body } = parse(read(path)) as { name: string; description: string; body: { type: string; id: string }[] }
    assert.ok(name && description && body.length > 0, path)
    assert.equal(new Set(body.map(({ id }) => id)).size, body.length)
  }
  const { version, updates } = parse(read('.github/dependabot.yml')) as { version: number; updates: unknown[] }
  assert.deepEqual([version, updates.length], [2, 2])
})
