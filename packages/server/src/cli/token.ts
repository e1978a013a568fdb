import { connect, firstRunNotes, inWords, tokenOf, type Connection, type ConnectionOptions } from './connection/connection.ts'
import { Mistake } from './terminal/mistake.ts'

export interface TokenOptions extends ConnectionOptions {
  operator?: boolean
}

/** Prints the token that commands use, for `curl -H "Authorization: Bearer $(offhook token)"`. */
export const printToken = async (options: TokenOptions): Promise<void> => {
  const notes = await firstRunNotes()
  if (options.operator !== true) return console.log(tokenOf(options, notes))
  if (notes.operator === undefined) throw new Mistake(1, 'There is no first-run.json here; set OFFHOOK_DATA to the data folder.')
  console.log(notes.operator.token)
}

const asked = async (options: ConnectionOptions, ask: (connection: Connection) => Promise<void>): Promise<void> => {
  const connection = await connect(options)
  await ask(connection).catch((error: unknown) => Promise.reject(inWords(error, connection.baseUrl) as Error))
}

export interface NewTokenOptions extends ConnectionOptions {
  scopes?: string[]
}

/** Creates a personal access token; its secret is shown only once. */
export const createToken = (name: string, { scopes, ...options }: NewTokenOptions): Promise<void> =>
  asked(options, async ({ api, baseUrl }) => {
    type Input = Parameters<typeof api.createPersonalToken>[1]
    const input = { name, ...(scopes && { scopes }) } as Input
    const { tokenId, token } = await api.createPersonalToken({}, input)
    console.log(`${tokenId}:${token}`)
    console.error(`\nShown only now. Use it as OFFHOOK_TOKEN, or:\n\n  curl -u ${tokenId}:${token} ${baseUrl}/v1/account`)
  })

export const listTokens = (options: ConnectionOptions): Promise<void> =>
  asked(options, async ({ api }) => {
    const { items } = await api.listPersonalTokens()
    for (const { tokenId, name, scopes } of items) console.log(`${tokenId}  ${name}  ${scopes.join(' ')}`)
    if (items.length === 0) console.error('There are no personal access tokens. Make one: offhook token create NAME')
  })

export const revokeToken = (tokenId: string, options: ConnectionOptions): Promise<void> =>
  asked(options, async ({ api }) => {
    await api.deletePersonalToken({ tokenId })
    console.error(`${tokenId} is revoked.`)
  })
