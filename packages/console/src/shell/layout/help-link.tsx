import { ActionIcon } from '@mantine/core'
import { useLocation } from 'wouter'
import { Icon } from '#parts/icon/icon.tsx'
import { useLanguage, useText } from '#words/use-text.tsx'
import { text } from '../text.ts'
import { helpAddress } from './help.ts'

/** Opens the guide that explains this page, beside it. */
export const HelpLink = () => {
  const say = useText(text)
  const { language } = useLanguage()
  const [location] = useLocation()
  return (
    <ActionIcon
      component="a"
      href={helpAddress(location, language)}
      target="_blank"
      variant="subtle"
      color="gray"
      size="lg"
      aria-label={say.help}
      title={say.help}
    >
      <Icon name="help" size={20} />
    </ActionIcon>
  )
}
