declare module 'virtual:routes' {
  export const routes: Readonly<Record<string, import('@offhook/sdk/client-of.ts').Route>>
}
