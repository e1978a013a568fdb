const german = `aber alle allem allen aller alles als also am an andere auch auf aus bei beim bin bis bist bitte da damit dann das dass dem den denn der des
dessen die dies diese diesem diesen dieser dieses doch dort du durch ein eine einem einen einer eines er es etwas euch euer eure fur gerne gibt haben hat
hatte hatten hatte ich ihm ihn ihnen ihr ihre ihrem ihren ihrer im immer in irgendwo ist ja jede jedem jeden jeder jetzt kann kannst kein keine keinen
konnen konnte konnten mal man mein meine meinem meinen meiner mich mir mit mochte mochten muss mussen nach nicht noch nun nur ob oder ohne schon sehr sein
seine seinem seinen seiner sich sie sind so soll sollen sollte uber um und uns unser unsere unserem unseren unserer viel vom von vor war waren was wegen
weil welche welchem welchen welcher welches wenn wer werde werden wie wieder will wir wird wo wohin wollen wurde wurden zu zum zur zwischen brauche brauchen
braucht mehr pro darf durfen`

const english = `a about also am an and any anywhere are as at be been but by can could did do does for from get give had has have having he her here him his how i
if in into is it its just like may me mean my no not of on one or our out please shall she should so some somebody something than that the their them then
there these they this those to too us was we were what when where which who will with would you your need want must much many`

/** Say nothing about what a passage is about. Written as `plain` gives them. */
export const fillWords: ReadonlySet<string> = new Set(`${german} ${english}`.split(/\s+/))
