import { mcpOverStdio } from '@offhook/mcp'
import { clientsFor } from '@offhook/mcp/clients.ts'
import { version } from '#settings/version.ts'
import { connect, inWords, type ConnectionOptions } from './connection/connection.ts'

/** Serves the tools of MCP on stdin and stdout, where nothing else is written, to the program that started this one. */
export const mcp = async (options: ConnectionOptions): Promise<void> => {
  const { baseUrl, token } = await connect(options)
  const client = clientsFor({ baseUrl, token })
  try {
    await client(false).getAccess() // so that a wrong token is told here, and not by a program that has no tools and cannot say why
  } catch (error) {
    throw inWords(error, baseUrl)
  }
  mcpOverStdio({ client, version: version() }, (error) => console.error(error.message))
}
