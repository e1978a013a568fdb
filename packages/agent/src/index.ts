export { Channel, hostOver, type AgentOrders, type Message, type ModelMeasured, type Port, type ToolTried } from './channel.ts'
export type { AgentSettings, Host, MessageTaken, Outcome, Passage, SmsWish, Version } from './host.ts'
