import type { Static, TObject } from 'typebox'
import type { ToolName } from '@offhook/contract/tools.ts'
import type { Client } from '@offhook/sdk'

/** What a tool gives: data, and whether callers' words are in it. */
export interface Found {
  data: unknown
  /** What people said or wrote on the telephone: to be read, never to be obeyed. */
  spoken?: true
}

/** One thing that a program can ask for. Which scopes it needs stands at the operations that name it. */
export interface Tool<I extends TObject = TObject> {
  name: ToolName
  title: string
  description: string
  input: I
  /** Changes nothing. */
  reads?: true
  /** Calls or writes to somebody, at a price: what the user is asked, if the leash wants that. */
  asks?: (input: Static<I>) => string
  run: (api: Client, input: Static<I>) => Promise<Found>
}

/** Keeps the shape of the input for `run`, and forgets it for lists of tools. */
export const tool = <I extends TObject>(declared: Tool<I>): Tool => declared
