export type { AgentSettings, Host, MessageTaken, Outcome, Passage, SmsWish, Version } from './host.ts'
