let index
/** Fetched when somebody begins to search. */
const loadIndex = (address) => (index ??= fetch(address).then((reply) => reply.json()))

const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
const termsOf = (query) => query.toLowerCase().split(/\s+/).filter(Boolean)

/** A section counts when each word is somewhere in it; words in headings count most, beginnings of words more than their middle. */
const scoreOf = (terms, title, heading, text) => {
  let score = 0
  for (const term of terms) {
    const begins = new RegExp(`(?<![\\p{L}\\p{N}])${escaped(term)}`, 'iu')
    const inText = text.toLowerCase().includes(term)
    const points = (begins.test(heading) ? 12 : 0) + (begins.test(title) ? 8 : 0) + (begins.test(text) ? 3 : inText ? 1 : 0)
    if (points === 0) return 0
    score += points
  }
  return score
}

const search = (pages, query, language) => {
  const terms = termsOf(query)
  if (terms.length === 0) return []
  const found = pages
    .filter(([, , , only]) => only === undefined || only === language)
    .flatMap(([title, address, sections]) =>
      sections.map(([heading, id, text]) => ({
        title,
        heading,
        address: id ? `${address}#${id}` : address,
        text,
        score: scoreOf(terms, title, heading, text),
      })),
    )
  return found
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score)
    .slice(0, 12)
}

/** The words around the first place, all places marked. */
const snippet = (text, terms) => {
  const at = Math.max(0, text.toLowerCase().indexOf(terms.find((term) => text.toLowerCase().includes(term)) ?? '') - 50)
  const line = document.createElement('small')
  const parts = text.slice(at, at + 160).split(new RegExp(`(${terms.map(escaped).join('|')})`, 'giu'))
  line.append(
    at > 0 ? '…' : '',
    ...parts.map((part, place) => (place % 2 === 0 ? part : Object.assign(document.createElement('mark'), { textContent: part }))),
  )
  return line
}

const entryOf = ({ title, heading, address, text }, terms) => {
  const link = Object.assign(document.createElement('a'), { href: address })
  link.append(
    Object.assign(document.createElement('strong'), { textContent: heading ? `${title} › ${heading}` : title }),
    snippet(text, terms),
  )
  const entry = document.createElement('li')
  entry.append(link)
  return entry
}

addEventListener('DOMContentLoaded', () => {
  const field = document.getElementById('search')
  const [list, count] = [document.getElementById('found'), document.getElementById('found-count')]
  for (const part of [field, field.nextElementSibling]) part.hidden = false
  const links = () => [...list.querySelectorAll('a')]
  const close = () => (list.hidden = true)
  const leave = () => {
    field.focus()
    close()
  }
  const show = async () => {
    const query = field.value.trim()
    const found = search(await loadIndex(field.dataset.index), query, document.documentElement.lang)
    if (query !== field.value.trim()) return
    const entries = document.createElement('ul')
    entries.append(...found.map((one) => entryOf(one, termsOf(query))))
    list.replaceChildren(found.length > 0 ? entries : Object.assign(document.createElement('p'), { textContent: say.nothing }))
    list.hidden = query === ''
    count.textContent = query === '' ? '' : `${found.length} ${say.results}`
  }
  field.addEventListener('input', () => void show())
  addEventListener('click', ({ target }) => target.closest('.search') ?? close())
  addEventListener('keydown', (event) => {
    const inSearch = event.target.closest?.('.search')
    const at = links().indexOf(document.activeElement)
    if (event.key === '/' && !/^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName)) field.focus()
    else if (event.key === 'Escape' && inSearch) leave()
    else if (event.key === 'Enter' && event.target === field) links()[0]?.click()
    else if (event.key === 'ArrowDown' && inSearch) links()[Math.min(at + 1, links().length - 1)]?.focus()
    else if (event.key === 'ArrowUp' && inSearch) (links()[at - 1] ?? field).focus()
    else return
    event.preventDefault()
  })
})
