export { ApiError, createClient, type Client, type ClientOptions } from './client.ts'
