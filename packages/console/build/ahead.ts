import type { HtmlTagDescriptor, Plugin } from 'vite'

/** Names the script that asks ahead in the page, before all others and run as soon as it is there. Vite would make one script of both. */
export const aheadScript = (): Plugin => ({
  name: 'offhook-ahead',
  transformIndexHtml: {
    order: 'post',
    handler(_html, { bundle = {} }): HtmlTagDescriptor[] {
      const chunk = Object.values(bundle).find((one) => one.type === 'chunk' && one.name === 'ahead')
      if (!chunk) throw new Error('The script that asks ahead was not built.')
      const attrs = { type: 'module', async: true, crossorigin: true, fetchpriority: 'high', src: `/console/${chunk.fileName}` }
      return [{ tag: 'script', attrs, injectTo: 'head-prepend' }]
    },
  },
})
