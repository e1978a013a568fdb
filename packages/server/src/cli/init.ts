import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join, relative, resolve } from 'node:path'
import { inClone, templateFolder } from '#places.ts'
import { inFolderOfClone } from './init/clone.ts'
import { inFolderOfProject } from './init/project.ts'
import {
  environmentExample,
  promptPackage,
  promptProgram,
  promptReadme,
  readPromptOptions,
  type PromptOptions,
} from './init/prompt-assistant.ts'
import type { PackageName, ProjectSetup } from './init/project-setup.ts'
import { Mistake } from './terminal/mistake.ts'

export interface InitOptions extends PromptOptions {
  /** JavaScript, whatever the Node here is. */
  js?: boolean
  /** An assistant from a prompt. */
  llm?: boolean
}

/** What is written: the program first, then what lies beside it. */
interface Written {
  needs: PackageName
  /** How it is told to `offhook dev`. */
  endpoint: string
  program: (run: string, said: ProjectSetup, asJs: boolean) => Promise<string>
  beside: (run: string, said: ProjectSetup) => Record<string, string>
}

/** The commands in the template, which run it inside the repository. */
const [runsThere, talksThere] = ['npx node examples/first-assistant/assistant.ts', 'npx offhook']
/** All that is not JavaScript in it. */
const typed = ['new Map<string, string>()', 'new Map()'] as const

const byHand: Written = {
  needs: '@offhook/sdk',
  endpoint: '--endpoint http://127.0.0.1:3000',
  program: async (run, { offhook }, asJs) => {
    const text = await readFile(join(templateFolder, 'assistant.ts'), 'utf8')
    const here = text.replace(runsThere, run).replace(talksThere, offhook)
    return asJs ? here.replace(...typed) : here
  },
  beside: () => ({}),
}

const fromPrompt = (options: PromptOptions): Written => {
  const endpoint = '--ws ws://127.0.0.1:3001 --events'
  const input = readPromptOptions(options)
  const talk = ({ offhook }: ProjectSetup): string => `${offhook} dev ${endpoint}`
  return {
    needs: promptPackage,
    endpoint,
    program: async (run, said) => promptProgram(input, run, talk(said)),
    beside: (run, said) => ({ '.env.example': environmentExample(input), 'README.md': promptReadme(run, talk(said)) }),
  }
}

/** Writes a first assistant into a folder, and says how to run it. */
export const init = async (folder = '.', { js = false, llm = false, ...options }: InitOptions = {}): Promise<void> => {
  const [unused] = Object.keys(options)
  if (unused !== undefined && !llm) throw new Mistake(2, `--${unused} is for an assistant from a prompt: offhook init --llm --${unused} …`)
  const target = resolve(folder)
  const written = llm ? fromPrompt(options) : byHand
  const { file, said } = await write(target, written, js).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EEXIST')
      throw new Mistake(
        1,
        `${shown(error.path ?? target)} is there already, and stays as it is. Name another folder: offhook init my-assistant`,
      )
    throw new Mistake(1, `Nothing can be written there: ${error.message}`)
  })
  const { added, prepare, node, offhook } = said
  console.log(`${shown(file)} is a first assistant${added}. Run it:

${[...prepare, `${node} ${shown(file)}`].map((line) => `  ${line}`).join('\n')}

and then, in another terminal:

  ${offhook} dev ${written.endpoint}`)
}

const write = async (folder: string, { needs, program, beside }: Written, js: boolean): Promise<{ file: string; said: ProjectSetup }> => {
  await mkdir(folder, { recursive: true })
  const said = await (inClone ? inFolderOfClone(folder, needs) : inFolderOfProject(folder, needs))
  const asJs = js || said.needsJs
  const file = join(folder, `assistant.${said.isModule ? '' : 'm'}${asJs ? 'js' : 'ts'}`)
  const run = `${said.node} ${shown(file)}`
  await writeFile(file, await program(run, said, asJs), { flag: 'wx' })
  for (const [name, text] of Object.entries(beside(run, said))) await writeFile(join(folder, name), text, { flag: 'wx' })
  await said.equip()
  return { file, said }
}

const shown = (file: string): string => relative('.', file)
