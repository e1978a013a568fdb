/** Variables of a call, one line each: `first_name = Ada`. */

type Value = string | number | boolean

/** Numbers and truth values; quotes make a text of them. */
const typed = /^(?:true|false|-?(?:0|[1-9]\d*)(?:\.\d+)?|".*")$/

const shown = (value: Value): string => (typeof value === 'string' && !typed.test(value) ? value : JSON.stringify(value))

export const variableLines = (variables: Readonly<Record<string, Value>> = {}): string[] =>
  Object.entries(variables).map(([name, value]) => `${name} = ${shown(value)}`)

const valueOf = (text: string): Value => {
  try {
    return typed.test(text) ? (JSON.parse(text) as Value) : text
  } catch {
    return text
  }
}

/** The service says what is wrong with a name. */
export const variablesOf = (lines: readonly string[]): Record<string, Value> =>
  Object.fromEntries(
    lines.map((line) => {
      const [name = '', ...value] = line.split('=')
      return [name.trim(), valueOf(value.join('=').trim())]
    }),
  )
