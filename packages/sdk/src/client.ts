import { operations } from '@offhook/contract'
import { clientOf, type Client, type ClientOptions } from './client-of.ts'

/** A typed client: one method per contract operation, without generated code. */
export const createClient = (options: ClientOptions): Client => clientOf(options, operations)
