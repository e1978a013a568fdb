import { readSettings, unknownSettings, type Settings } from '#settings/config.ts'
import { settingsSchema } from '#settings/settings-schema.ts'
import { Mistake } from '../terminal/mistake.ts'

/** Variables that the other commands read, and the service does not. */
const ofCommands = ['OFFHOOK_TOKEN', 'OFFHOOK_URL']

export const settingsOf = (environment: NodeJS.ProcessEnv): Settings => {
  for (const name of unknownSettings(environment).filter((one) => !ofCommands.includes(one)))
    console.error(`offhook: ${name} is not a setting and has no effect; is it misspelt?`)
  try {
    return readSettings(environment)
  } catch (error) {
    throw new Mistake(2, (error as Error).message)
  }
}

/** For `offhook serve --help`. */
export const settingsHelp = (): string => {
  const lines = Object.entries(settingsSchema).map(([name, { default: fallback, description }]) => {
    const preset = fallback === '' ? '' : ` [${fallback}]`
    return `\n  ${name}${preset}\n      ${description}\n`
  })
  return `
When it is ready, it prints one JSON line on standard output; logs go to standard error.
Settings are environment variables:
${lines.join('')}`
}
