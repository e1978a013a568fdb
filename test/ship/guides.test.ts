import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { test } from 'node:test'
import { blocksOf, documents, placeOf, root, type Block } from '#test/guides/blocks.ts'
import { preparations } from '#test/guides/preparations.ts'
import { unknownIn } from '#test/guides/known-commands.ts'
import { jsonMistake, scriptMistake, typeMistakes, xmlMistake, yamlMistake } from '#test/guides/readable.ts'
import { commandsIn, mistakeIn } from '#test/guides/shell.ts'
import { Stage } from '#test/guides/stage.ts'
import { needs } from '#test/peers/debian.ts'
import { endBeforeRemoval, temporaryFolder } from '#test/machine/temporary-folder.ts'

/** `GUIDES=fax node --test test/ship/guides.test.ts` checks only those. */
const all = documents()
  .filter((file) => file.includes(process.env.GUIDES ?? ''))
  .flatMap(blocksOf)
const scripts = all.filter(({ language }) => language === 'sh')
const timeout = 600_000

test('labels every code block', () => {
  assert.deepEqual(all.filter(({ language }) => language === '').map(placeOf), [])
})

test('has valid shell scripts that use existing commands', () => {
  for (const block of scripts) {
    assert.equal(mistakeIn(block.text), '', placeOf(block))
    assert.deepEqual(unknownIn(block.text), [], placeOf(block))
  }
})

test('names only existing commands in sentences', () => {
  for (const file of documents()) {
    const named = readFileSync(join(root, file), 'utf8').matchAll(/`((?:npx )?offhook [^`\n]+|npm run [^`\n]+)`/g)
    for (const [, command = ''] of named) assert.deepEqual(unknownIn(command), [], `${file}: ${command}`)
  }
})

test('finds blocks marked as run by another test in that test', () => {
  for (const block of scripts.filter(({ mark }) => mark?.kind === 'run by')) {
    const file = join(root, block.mark?.text ?? '')
    assert.ok(existsSync(file), `${placeOf(block)}: there is no ${block.mark?.text}`)
    const runner = readFileSync(file, 'utf8')
    const isNamed =
      runner.includes(basename(block.file)) ||
      commandsIn(block.text).every((command) => command.split(' && ').every((part) => runner.includes(part)))
    assert.ok(isNamed, `${block.mark?.text} neither reads ${block.file} nor has the commands of ${placeOf(block)}`)
  }
})

test('has valid JSON, XML, YAML and JavaScript blocks', () => {
  const readers: Record<string, (block: Block) => string> = { json: jsonMistake, xml: xmlMistake, yaml: yamlMistake, js: scriptMistake }
  for (const block of all) assert.equal(readers[block.language]?.(block) ?? '', '', placeOf(block))
})

test('type-checks programs in TypeScript against their imports', async (t) => {
  const programs = all.filter(({ language, text }) => language === 'ts' && /^import /m.test(text))
  if (programs.length > 0) assert.equal(typeMistakes(await temporaryFolder(t), programs), '')
})

const isRun = ({ mark }: Block): boolean => mark === undefined

test('runs every command as written', { timeout }, async (t) => {
  if (
    !(await needs(
      t,
      'curl',
      'jq',
      'openssl',
      'baresip',
      'promtool',
      'amtool',
      'systemd-analyze',
      '/usr/lib/python3/dist-packages/websockets/__init__.py',
    ))
  )
    return
  const folder = await temporaryFolder(t)
  const stage = await Stage.open(t, folder)
  endBeforeRemoval(folder, () => stage.close())
  const run: string[] = []
  for (const [file, blocks] of Map.groupBy(scripts.filter(isRun), (block) => block.file))
    await t.test(file, { timeout }, async (t) => {
      const place = await stage.begin()
      await preparations[basename(file)]?.(t, stage, place)
      for (const block of blocks)
        for (const command of commandsIn(block.text)) {
          await stage.perform(command).catch((error: Error) => assert.fail(`${placeOf(block)}: ${error.message}`))
          run.push(command)
        }
      await stage.end()
    })
  const notRun = scripts.filter(({ mark }) => mark?.kind === 'not run')
  t.diagnostic(
    `${run.length} commands were run, ${scripts.filter(({ mark }) => mark?.kind === 'run by').length} blocks are run by other tests`,
  )
  for (const block of notRun) t.diagnostic(`not run: ${placeOf(block)}: ${block.mark?.text}`)
})
