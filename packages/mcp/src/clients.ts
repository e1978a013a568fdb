import { confirmedHeader } from '@offhook/contract/tools.ts'
import { createClient, type Client, type ClientOptions } from '@offhook/sdk'

/** Clients for one token: a plain one, and one that marks each request as confirmed by the user. */
export const clientsFor = ({ authorization, fetch: send = fetch, ...rest }: ClientOptions & { authorization?: string }) => {
  const make = (confirmed: boolean): Client => {
    const withHeaders: typeof fetch = (input, init) => {
      const headers = new Headers(init?.headers)
      if (authorization !== undefined) headers.set('authorization', authorization)
      if (confirmed) headers.set(confirmedHeader, 'true')
      return send(input, { ...init, headers })
    }
    return createClient({ ...rest, fetch: withHeaders })
  }
  const [usual, agreed] = [make(false), make(true)]
  return (confirmed: boolean): Client => (confirmed ? agreed : usual)
}
