import { UnstyledButton } from '@mantine/core'
import { useText } from '#words/use-text.tsx'
import classes from './section-links.module.css'
import { text } from './text.ts'

interface SectionLinksProps {
  sections: readonly { id: string; title: string }[]
  onGo: (id: string) => void
}

/** Navigation of a long page. Buttons instead of links: an address with a hash would be another page to leave guards. */
export const SectionLinks = ({ sections, onGo }: SectionLinksProps) => (
  <nav className={classes.links} aria-label={useText(text).parts}>
    {sections.map(({ id, title }) => (
      <UnstyledButton key={id} className={classes.link} onClick={() => onGo(id)}>
        {title}
      </UnstyledButton>
    ))}
  </nav>
)
