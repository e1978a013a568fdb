import { operations } from '@offhook/contract'
import { clientOf, type Client, type ClientOptions } from './client-of.ts'

/** A typed client: one method for each operation of the contract, no generated code. */
export const createClient = (options: ClientOptions): Client => clientOf(options, operations)
