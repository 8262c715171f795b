//! Real text in the languages that legacy charsets were made for, at least 200 characters of each.
//!
//! From the Universal Declaration of Human Rights and from books whose authors died long ago.

/// An encoding, a text for it, and the name it is recognised by where that is another: a sister that agrees on every
/// character of the text.
pub const ENCODED: &[(&str, &str, &str)] = &[
    ("utf-8", FRENCH, "utf-8"),
    ("utf-8", JAPANESE, "utf-8"),
    ("utf-16le", GERMAN, "utf-16le"),
    ("utf-16be", RUSSIAN, "utf-16be"),
    ("utf-16le", CHINESE_SIMPLIFIED, "utf-16le"),
    ("utf-16be", JAPANESE, "utf-16be"),
    ("utf-16le", THAI, "utf-16le"),
    ("utf-32le", KOREAN, "utf-32le"),
    ("utf-32be", FRENCH, "utf-32be"),
    ("windows-1252", FRENCH, "windows-1252"),
    ("windows-1252", GERMAN, "windows-1252"),
    ("iso-8859-15", FRENCH, "windows-1252"),
    ("windows-1250", POLISH, "windows-1250"),
    ("windows-1250", HUNGARIAN, "windows-1250"),
    ("iso-8859-2", POLISH, "iso-8859-2"),
    ("iso-8859-2", HUNGARIAN, "windows-1250"),
    ("windows-1251", RUSSIAN, "windows-1251"),
    ("windows-1251", UKRAINIAN, "windows-1251"),
    ("koi8-r", RUSSIAN, "koi8-r"),
    ("koi8-u", UKRAINIAN, "koi8-u"),
    ("ibm866", RUSSIAN, "ibm866"),
    ("iso-8859-5", RUSSIAN, "iso-8859-5"),
    ("windows-1253", GREEK, "windows-1253"),
    ("iso-8859-7", GREEK, "windows-1253"),
    ("windows-1254", TURKISH, "windows-1254"),
    ("windows-1255", HEBREW, "windows-1255"),
    ("windows-1256", ARABIC, "windows-1256"),
    ("windows-1257", LITHUANIAN, "windows-1257"),
    ("windows-874", THAI, "windows-874"),
    ("shift_jis", JAPANESE, "shift_jis"),
    ("euc-jp", JAPANESE, "euc-jp"),
    ("iso-2022-jp", JAPANESE, "iso-2022-jp"),
    ("gbk", CHINESE_SIMPLIFIED, "gbk"),
    ("gb18030", CHINESE_SIMPLIFIED, "gbk"),
    ("big5", CHINESE_TRADITIONAL, "big5"),
    ("euc-kr", KOREAN, "euc-kr"),
];

/// French.
pub const FRENCH: &str = "\
Tous les êtres humains naissent libres et égaux en dignité et en droits. Ils sont doués de raison et de conscience et
doivent agir les uns envers les autres dans un esprit de fraternité. Chacun peut se prévaloir de tous les droits et de
toutes les libertés proclamés dans la présente Déclaration, sans distinction aucune, notamment de race, de couleur.
";

/// German.
pub const GERMAN: &str = "\
Alle Menschen sind frei und gleich an Würde und Rechten geboren. Sie sind mit Vernunft und Gewissen begabt und sollen
einander im Geist der Brüderlichkeit begegnen. Jeder hat Anspruch auf die in dieser Erklärung verkündeten Rechte und
Freiheiten ohne irgendeinen Unterschied, etwa nach Rasse, Hautfarbe, Geschlecht, Sprache oder Überzeugung.
";

/// Polish.
pub const POLISH: &str = "\
Wszyscy ludzie rodzą się wolni i równi pod względem swej godności i swych praw. Są oni obdarzeni rozumem i sumieniem i
powinni postępować wobec innych w duchu braterstwa. Każdy człowiek posiada wszystkie prawa i wolności zawarte w
niniejszej Deklaracji bez względu na jakiekolwiek różnice rasy, koloru, płci, języka, wyznania, poglądów politycznych.
";

/// Hungarian.
pub const HUNGARIAN: &str = "\
Minden emberi lény szabadon születik és egyenlő méltósága és joga van. Az emberek, ésszel és lelkiismerettel bírván,
egymással szemben testvéri szellemben kell hogy viseltessenek. Mindenki, bármely megkülönböztetésre, nevezetesen fajra,
színre, nemre, nyelvre, vallásra, politikai vagy bármely más véleményre való tekintet nélkül hivatkozhat a jogokra.
";

/// Russian.
pub const RUSSIAN: &str = "\
Все люди рождаются свободными и равными в своем достоинстве и правах. Они наделены разумом и совестью и должны поступать
в отношении друг друга в духе братства. Каждый человек должен обладать всеми правами и всеми свободами, провозглашенными
настоящей Декларацией, без какого бы то ни было различия, как-то в отношении расы, цвета кожи, пола, языка, религии.
";

/// Ukrainian.
pub const UKRAINIAN: &str = "\
Всі люди народжуються вільними і рівними у своїй гідності та правах. Вони наділені розумом і совістю і повинні діяти у
відношенні один до одного в дусі братерства. Кожна людина повинна мати всі права і всі свободи, проголошені цією
Декларацією, незалежно від раси, кольору шкіри, статі, мови, релігії, політичних або інших переконань.
";

/// Greek.
pub const GREEK: &str = "\
Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι στην αξιοπρέπεια και τα δικαιώματα. Είναι προικισμένοι με λογική και
συνείδηση, και οφείλουν να συμπεριφέρονται μεταξύ τους με πνεύμα αδελφοσύνης. Κάθε άνθρωπος δικαιούται να επικαλείται
όλα τα δικαιώματα και όλες τις ελευθερίες που προκηρύσσει η παρούσα Διακήρυξη, χωρίς καμία απολύτως διάκριση.
";

/// Turkish.
pub const TURKISH: &str = "\
Bütün insanlar hür, haysiyet ve haklar bakımından eşit doğarlar. Akıl ve vicdana sahiptirler ve birbirlerine karşı
kardeşlik zihniyeti ile hareket etmelidirler. Herkes, ırk, renk, cinsiyet, dil, din, siyasi veya diğer herhangi bir akide,
milli veya içtimai menşe, servet, doğuş veya herhangi diğer bir fark gözetilmeksizin işbu Beyannamede ilan olunan haklara sahiptir.
";

/// Hebrew.
pub const HEBREW: &str = "\
כל בני האדם נולדו בני חורין ושווים בערכם ובזכויותיהם. כולם חוננו בתבונה ובמצפון, לפיכך חובה עליהם לנהוג איש ברעהו ברוח של
אחווה. כל אדם זכאי לזכויות ולחרויות שנקבעו בהכרזה זו ללא הפליה כלשהי מטעמי גזע, צבע, מין, לשון, דת, דעה פוליטית או דעה
בבעיות אחרות, מוצא לאומי או חברתי, קנין, לידה או מעמד אחר.
";

/// Arabic.
pub const ARABIC: &str = "\
يولد جميع الناس أحرارا متساوين في الكرامة والحقوق. وقد وهبوا عقلا وضميرا وعليهم أن يعامل بعضهم بعضا بروح الإخاء. لكل إنسان
حق التمتع بكافة الحقوق والحريات الواردة في هذا الإعلان، دون أي تمييز، كالتمييز بسبب العنصر أو اللون أو الجنس أو اللغة أو
الدين أو الرأي السياسي أو أي رأي آخر، أو الأصل الوطني أو الاجتماعي أو الثروة أو الميلاد.
";

/// Lithuanian.
pub const LITHUANIAN: &str = "\
Visi žmonės gimsta laisvi ir lygūs savo orumu ir teisėmis. Jiems suteiktas protas ir sąžinė ir jie turi elgtis vienas kito
atžvilgiu kaip broliai. Kiekvienas žmogus gali naudotis visomis teisėmis ir laisvėmis, paskelbtomis šioje Deklaracijoje,
be jokių skirtumų dėl rasės, odos spalvos, lyties, kalbos, religijos, politinių ar kitokių įsitikinimų, kilmės, turto.
";

/// Thai.
pub const THAI: &str = "\
มนุษย์ทั้งหลายเกิดมามีอิสระและเสมอภาคกันในเกียรติศักดิ์และสิทธิ ต่างมีเหตุผลและมโนธรรม และควรปฏิบัติต่อกันด้วยเจตนารมณ์แห่งภราดรภาพ
ทุกคนย่อมมีสิทธิและเสรีภาพบรรดาที่กำหนดไว้ในปฏิญญานี้ โดยปราศจากความแตกต่างไม่ว่าชนิดใด ดังเช่น เชื้อชาติ ผิว เพศ ภาษา ศาสนา
ความคิดเห็นทางการเมืองหรือทางอื่น
";

/// Japanese.
pub const JAPANESE: &str = "\
吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。何でも薄暗いじめじめした所でニャーニャー泣いていた事だけは記憶している。
吾輩はここで始めて人間というものを見た。しかもあとで聞くとそれは書生という人間中で一番獰悪な種族であったそうだ。この書生というのは時々我々を
捕えて煮て食うという話である。しかしその当時は何という考もなかったから別段恐しいとも思わなかった。ただ彼の掌に載せられてスーと持ち上げられた時
何だかフワフワした感じがあったばかりである。
";

/// Chinese, simplified.
pub const CHINESE_SIMPLIFIED: &str = "\
我冒了严寒，回到相隔二千余里，别了二十余年的故乡去。时候既然是深冬；渐近故乡时，天气又阴晦了，冷风吹进船舱中，呜呜的响，从篷隙向外一望，
苍黄的天底下，远近横着几个萧索的荒村，没有一些活气。我的心禁不住悲凉起来了。阿！这不是我二十年来时时记得的故乡？我所记得的故乡全不如此。
我的故乡好得多了。但要我记起他的美丽，说出他的佳处来，却又没有影像，没有言辞了。仿佛也就如此。于是我自己解释说：故乡本也如此，
虽然没有进步，也未必有如我所感的悲凉。
";

/// Chinese, traditional.
pub const CHINESE_TRADITIONAL: &str = "\
人人生而自由，在尊嚴和權利上一律平等。他們賦有理性和良心，並應以兄弟關係的精神相對待。人人有資格享有本宣言所載的一切權利和自由，不分種族、膚色、
性別、語言、宗教、政治或其他見解、國籍或社會出身、財產、出生或其他身分等任何區別。並且不得因一人所屬的國家或領土的政治的、行政的或者國際的地位之
不同而有所區別，無論該領土是獨立領土、託管領土、非自治領土或者處於其他任何主權受限制的情況之下。人人有權享有生命、自由和人身安全。任何人不得使為
奴隸或奴役。
";

/// Korean.
pub const KOREAN: &str = "\
모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다. 인간은 천부적으로 이성과 양심을 부여받았으며 서로 형제애의 정신으로 행동하여야 한다.
모든 사람은 인종, 피부색, 성, 언어, 종교, 정치적 또는 기타의 견해, 민족적 또는 사회적 출신, 재산, 출생 또는 기타의 신분과 같은 어떠한 종류의 차별이 없이,
이 선언에 규정된 모든 권리와 자유를 향유할 자격이 있다. 더 나아가 개인이 속한 국가 또는 영토가 독립국이든 차별이 있어서는 아니된다.
";
