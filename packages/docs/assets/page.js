/** What the console was told counts here, too: both are one site to whoever reads. */
const schemeKey = 'mantine-color-scheme-value'
const chosenScheme = () => {
  try {
    return localStorage.getItem(schemeKey)
  } catch {
    return null
  }
}
const scheme = chosenScheme()
if (scheme === 'light' || scheme === 'dark') document.documentElement.dataset.scheme = scheme

// The reference of the interface used to be the first page; its places within go on working.
if (location.pathname === '/docs/' && /^#(tag|model|description|webhook)\b/.test(location.hash))
  location.replace(`/docs/api/${location.hash}`)

const say = words[document.documentElement.lang] ?? words.en

const turnScheme = () => {
  const { dataset } = document.documentElement
  const isDark = (dataset.scheme ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light')) === 'dark'
  dataset.scheme = isDark ? 'light' : 'dark'
  try {
    localStorage.setItem(schemeKey, dataset.scheme)
  } catch {
    // It then holds for this page.
  }
}

const addCopyButton = (figure) => {
  const button = document.createElement('button')
  button.type = 'button'
  button.textContent = say.copy
  const copy = async () => {
    await navigator.clipboard.writeText(figure.querySelector('code').textContent.replace(/\n$/, ''))
    button.textContent = say.copied
    setTimeout(() => (button.textContent = say.copy), 2000)
  }
  button.addEventListener('click', () => void copy())
  figure.querySelector('figcaption').append(button)
}

addEventListener('DOMContentLoaded', () => {
  // On phones the list of pages would push the text out of sight.
  if (matchMedia('(max-width: 50rem)').matches) document.querySelector('.menu').open = false
  const toggle = document.getElementById('scheme')
  toggle.hidden = false
  toggle.addEventListener('click', turnScheme)
  // Browsers give the clipboard only to pages over HTTPS, or of this machine.
  if (navigator.clipboard) for (const figure of document.querySelectorAll('figure.code')) addCopyButton(figure)
  document.querySelector('.menu [aria-current]')?.scrollIntoView({ block: 'nearest' })
})
