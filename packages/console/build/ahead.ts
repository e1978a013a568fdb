import type { HtmlTagDescriptor, Plugin } from 'vite'

/** Puts the prefetch script into the page before all others, to run as soon as it loads. Vite would merge both into one script. */
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
