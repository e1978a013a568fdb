export * from './gateway.ts'
export { openGateway } from './open-gateway.ts'
