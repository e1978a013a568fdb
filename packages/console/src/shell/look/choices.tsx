import { ActionIcon, Menu, useMantineColorScheme, type MantineColorScheme } from '@mantine/core'
import { Icon, type IconName } from '#parts/icon/icon.tsx'
import { languageNames, languages } from '#words/languages.ts'
import { useLanguage, useText } from '#words/use-text.tsx'
import { text } from '../text.ts'

export const LanguageMenu = () => {
  const say = useText(text)
  const { language, choose } = useLanguage()
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label={`${say.language}: ${languageNames[language]}`}>
          <Icon name="globe" size={20} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {languages.map((one) => (
          <Menu.Item key={one} lang={one} onClick={() => choose(one)} rightSection={one === language && <Icon name="check" size={16} />}>
            {languageNames[one]}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}

const schemes: readonly [MantineColorScheme, IconName][] = [
  ['light', 'sun'],
  ['dark', 'moon'],
  ['auto', 'monitor'],
]

export const SchemeMenu = () => {
  const say = useText(text)
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const icon = schemes.find(([scheme]) => scheme === colorScheme)?.[1] ?? 'sun'
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label={`${say.appearance}: ${say[colorScheme]}`}>
          <Icon name={icon} size={20} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {schemes.map(([scheme, symbol]) => (
          <Menu.Item
            key={scheme}
            leftSection={<Icon name={symbol} size={16} />}
            rightSection={scheme === colorScheme && <Icon name="check" size={16} />}
            onClick={() => setColorScheme(scheme)}
          >
            {say[scheme]}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
