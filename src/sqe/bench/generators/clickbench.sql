-- ClickBench's table of page views: {rows} of them, skewed as the real ones are, so that each of the 43
-- queries finds something at ten million rows. Row i is made of hashes of i: the same in every run.

-- Not hash(key, salt): its last bits are the same for every salt, but for a flip.
CREATE MACRO mix(key, salt) AS hash(key * 128 + salt);
CREATE MACRO among(i, salt, n) AS CAST(mix(i, salt) % n AS integer);
CREATE MACRO seldom(i, salt, percent) AS CAST(mix(i, salt) % 10000 < percent * 100 AS smallint);
-- A number below n, the smaller the likelier: about one in n ** (1 / steepness) is 0.
CREATE MACRO skewed(i, salt, n, steepness) AS
    CAST(floor(n * pow((mix(i, salt) % 1000000007) / 1000000007.0, steepness)) AS bigint);
CREATE MACRO positive(h) AS CAST(h >> 1 AS bigint);
CREATE MACRO nth(h, n) AS CAST(1 + h % n AS bigint);
CREATE MACRO word(h) AS ([
    'auto', 'avto', 'bank', 'blog', 'book', 'cinema', 'city', 'clinic', 'club', 'dacha', 'film', 'foto',
    'forum', 'game', 'house', 'hotel', 'job', 'kino', 'mail', 'map', 'market', 'music', 'news', 'online',
    'photo', 'price', 'radio', 'recipe', 'school', 'shop', 'sport', 'taxi', 'ticket', 'tour', 'video',
    'weather', 'авто', 'банк', 'билет', 'видео', 'город', 'дача', 'дом', 'игра', 'карта', 'квартира',
    'кино', 'книга', 'купить', 'любовь', 'музыка', 'новости', 'отзывы', 'погода', 'работа', 'расписание',
    'рецепт', 'скачать', 'смотреть', 'спорт', 'такси', 'фильм', 'фото', 'цена'
])[nth(h, 64)];
CREATE MACRO latin(h) AS word(h % 36);

-- Out of the way of the table.
CREATE SCHEMA steps;

CREATE VIEW steps.visits AS
SELECT
    i,
    first,
    TIMESTAMP '2013-07-01 00:00:00' + to_seconds(i * 2678400 // {rows}) AS seen_at,
    CASE WHEN among(i, 1, 20) = 0 THEN 62 ELSE 1 + skewed(i, 2, 6500, 4) * 37 END AS counter,
    skewed(first, 3, {rows} // 6 + 600, 3) AS visitor,
    skewed(i, 4, {rows} // 3 + 1, 2) AS page,
    CASE WHEN among(i, 5, 5) = 0 THEN skewed(i, 6, {rows} // 20 + 20, 3) END AS phrase,
    among(i, 7, 8) = 0 AS is_mobile,
    among(i, 8, 10) = 0 AS is_chosen,
    among(i, 9, 500) = 0 AS is_google
FROM (
    -- Some views are told twice or thrice, under the same id.
    SELECT i, i - CASE WHEN i % 1000 < 1 + among(i, 18, 3) THEN i % 1000 ELSE 0 END AS first
    FROM range({rows}) AS _(i)
);

CREATE VIEW steps.places AS
SELECT
    *,
    CASE WHEN counter = 62 AND is_chosen THEN 'http://example.ru/chosen'
        WHEN among(i, 10, 50) = 0 THEN ''
        ELSE 'http://' || CASE WHEN page % 3 = 0 THEN 'www.' ELSE '' END
            || latin(hash(counter)) || '-' || counter || '.ru/' || latin(hash(page)) || '/' || page
            || CASE WHEN is_google AND among(i, 11, 2) = 0 THEN '?from=.google.com'
                WHEN is_google THEN '?utm=google' ELSE '' END
    END AS address,
    CASE WHEN among(i, 12, 5) = 0 THEN ''
        WHEN counter = 62 AND among(i, 13, 8) = 0 THEN 'http://example.ru/from'
        WHEN phrase IS NOT NULL THEN 'http://yandex.ru/yandsearch?text=' || phrase
        ELSE 'https://' || CASE WHEN among(i, 14, 2) = 0 THEN 'www.' ELSE '' END
            || latin(skewed(i, 15, 36, 2)) || '.com/' || latin(hash(visitor)) || '?id=' || skewed(i, 16, 100000, 3)
    END AS origin,
    CASE WHEN among(i, 17, 8) = 0 THEN ''
        ELSE word(mix(page, 1)) || ' ' || word(mix(page, 2)) || ' - '
            || CASE WHEN is_google THEN 'Google ' ELSE '' END || word(hash(counter))
    END AS heading
FROM steps.visits;

CREATE VIEW hits AS
SELECT
    positive(mix(first, 19)) AS watchid,
    seldom(i, 20, 80) AS javaenable,
    heading AS title,
    1::smallint AS goodevent,
    seen_at AS eventtime,
    CAST(seen_at AS date) AS eventdate,
    CAST(counter AS integer) AS counterid,
    CAST(CAST(mix(visitor, 1) % 4294967296 AS bigint) - 2147483648 AS integer) AS clientip,
    CAST(mix(visitor, 2) % 200 * (mix(visitor, 3) % 30) AS integer) AS regionid,
    CASE WHEN visitor = 500 THEN 435090932899640449 ELSE positive(mix(visitor, 26)) END AS userid,
    (among(i, 21, 3) - 1)::smallint AS counterclass,
    CAST(mix(visitor, 4) % 100 AS smallint) AS os,
    CAST(mix(visitor, 5) % 80 AS smallint) AS useragent,
    address AS url,
    origin AS referer,
    seldom(i, 22, 12) AS isrefresh,
    among(i, 23, 30000)::smallint AS referercategoryid,
    among(i, 24, 300)::integer AS refererregionid,
    CAST(mix(page, 3) % 30000 AS smallint) AS urlcategoryid,
    CAST(mix(page, 4) % 300 AS integer) AS urlregionid,
    CAST([1024, 1280, 1366, 1440, 1600, 1680, 1920, 800, 320, 768][nth(mix(visitor, 6), 10)] AS smallint)
        AS resolutionwidth,
    CAST([768, 800, 900, 1024, 1050, 1080, 1200, 600, 480, 1280][nth(mix(visitor, 6), 10)] AS smallint)
        AS resolutionheight,
    CAST([16, 24, 32][nth(mix(visitor, 7), 3)] AS smallint) AS resolutiondepth,
    CAST(mix(visitor, 8) % 12 AS smallint) AS flashmajor,
    CAST(mix(visitor, 9) % 8 AS smallint) AS flashminor,
    CAST(mix(visitor, 10) % 400 AS varchar) AS flashminor2,
    CAST(mix(visitor, 11) % 4 AS smallint) AS netmajor,
    CAST(mix(visitor, 12) % 4 AS smallint) AS netminor,
    CAST(mix(visitor, 13) % 30 AS smallint) AS useragentmajor,
    substr('abcdefghij', 1 + CAST(mix(visitor, 14) % 9 AS integer), 2) AS useragentminor,
    seldom(i, 25, 98) AS cookieenable,
    seldom(i, 26, 97) AS javascriptenable,
    is_mobile::smallint AS ismobile,
    CASE WHEN is_mobile THEN 1 + among(i, 27, 40) ELSE 0 END::smallint AS mobilephone,
    CASE WHEN is_mobile AND among(i, 28, 2) = 0
        THEN ['iPad', 'iPhone', 'A500', 'N8-00', 'GT-P7300', 'Galaxy'][nth(mix(visitor, 15), 6)]
            || CASE WHEN among(i, 29, 3) = 0 THEN ' ' || skewed(i, 30, 100, 2) ELSE '' END
        ELSE '' END AS mobilephonemodel,
    '' AS params,
    CAST(mix(visitor, 16) % 4000000 AS integer) AS ipnetworkid,
    (among(i, 31, 12) - 1)::smallint AS traficsourceid,
    CASE WHEN phrase IS NULL THEN 0 ELSE 1 + skewed(i, 32, 90, 3) END::smallint AS searchengineid,
    CASE WHEN phrase IS NULL THEN ''
        ELSE word(mix(phrase, 1)) || ' ' || word(mix(phrase, 2)) || ' '
            || CASE WHEN phrase < 1000 THEN word(mix(phrase, 3)) ELSE CAST(phrase AS varchar) END
    END AS searchphrase,
    CASE WHEN among(i, 33, 100) < 2 THEN 1 + skewed(i, 34, 60, 3) ELSE 0 END::smallint AS advengineid,
    seldom(i, 35, 1) AS isartifical,
    (300 + among(i, 36, 1600))::smallint AS windowclientwidth,
    (200 + among(i, 37, 900))::smallint AS windowclientheight,
    CAST([-1, 120, 180, 240, 300, 360][nth(mix(visitor, 17), 6)] AS smallint) AS clienttimezone,
    seen_at + to_seconds(among(i, 38, 86400) - 43200) AS clienteventtime,
    seldom(i, 39, 60) * 5::smallint AS silverlightversion1,
    seldom(i, 40, 50)::smallint AS silverlightversion2,
    among(i, 41, 60000)::integer AS silverlightversion3,
    0::smallint AS silverlightversion4,
    CASE WHEN among(i, 42, 4) = 0 THEN 'windows-1251' ELSE 'utf-8' END AS pagecharset,
    among(i, 43, 1700)::integer AS codeversion,
    seldom(i, 44, 10) AS islink,
    seldom(i, 45, 2) AS isdownload,
    seldom(i, 46, 20) AS isnotbounce,
    positive(mix(visitor, 18)) AS funiqid,
    CASE WHEN among(i, 47, 20) = 0 THEN address ELSE '' END AS originalurl,
    among(i, 48, 2147483647)::integer AS hid,
    0::smallint AS isoldcounter,
    seldom(i, 49, 3) AS isevent,
    seldom(i, 50, 3) AS isparameter,
    seldom(i, 51, 15) AS dontcounthits,
    seldom(i, 52, 5) AS withhash,
    substr('TSEDRW', 1 + among(i, 53, 6), 1) AS hitcolor,
    seen_at + to_seconds(among(i, 54, 7200)) AS localeventtime,
    CAST(mix(visitor, 19) % 60 AS smallint) AS age,
    CAST(mix(visitor, 20) % 3 AS smallint) AS sex,
    CAST(mix(visitor, 21) % 5 AS smallint) AS income,
    CAST(mix(visitor, 22) % 30000 AS smallint) AS interests,
    among(i, 55, 60)::smallint AS robotness,
    CAST(CAST(mix(visitor, 23) % 4294967296 AS bigint) - 2147483648 AS integer) AS remoteip,
    (among(i, 56, 65536) - 1)::integer AS windowname,
    (among(i, 57, 65536) - 1)::integer AS openername,
    among(i, 58, 50)::smallint AS historylength,
    ['ru', 'en', 'uk', 'de', 'tr'][nth(mix(visitor, 24), 5)] AS browserlanguage,
    ['RU', 'US', 'UA', 'DE', 'TR'][nth(mix(visitor, 25), 5)] AS browsercountry,
    CASE WHEN among(i, 59, 200) = 0 THEN 'vk' ELSE '' END AS socialnetwork,
    CASE WHEN among(i, 60, 200) = 0 THEN 'like' ELSE '' END AS socialaction,
    CASE WHEN among(i, 61, 300) = 0 THEN 404 ELSE 0 END::smallint AS httperror,
    among(i, 62, 3000)::integer AS sendtiming,
    among(i, 63, 500)::integer AS dnstiming,
    among(i, 64, 900)::integer AS connecttiming,
    among(i, 65, 2000)::integer AS responsestarttiming,
    among(i, 66, 4000)::integer AS responseendtiming,
    among(i, 67, 4000)::integer AS fetchtiming,
    CASE WHEN among(i, 68, 100) = 0 THEN 1 + among(i, 69, 9) ELSE 0 END::smallint AS socialsourcenetworkid,
    CASE WHEN among(i, 68, 100) = 0 THEN 'http://vk.com/' || latin(hash(page)) ELSE '' END AS socialsourcepage,
    CASE WHEN among(i, 70, 100) = 0 THEN among(i, 71, 100000) ELSE 0 END::bigint AS paramprice,
    CASE WHEN among(i, 70, 100) = 0 THEN CAST(i AS varchar) ELSE '' END AS paramorderid,
    CASE WHEN among(i, 70, 100) = 0 THEN 'RUB' ELSE '' END AS paramcurrency,
    CASE WHEN among(i, 70, 100) = 0 THEN 643 ELSE 0 END::smallint AS paramcurrencyid,
    CASE WHEN among(i, 72, 300) = 0 THEN 'direct.yandex.ru' ELSE '' END AS openstatservicename,
    CASE WHEN among(i, 72, 300) = 0 THEN CAST(among(i, 73, 5000) AS varchar) ELSE '' END AS openstatcampaignid,
    CASE WHEN among(i, 72, 300) = 0 THEN CAST(among(i, 74, 9000) AS varchar) ELSE '' END AS openstatadid,
    CASE WHEN among(i, 72, 300) = 0 THEN 'search' ELSE '' END AS openstatsourceid,
    CASE WHEN among(i, 75, 100) = 0 THEN latin(among(i, 76, 36)) ELSE '' END AS utmsource,
    CASE WHEN among(i, 75, 100) = 0 THEN 'cpc' ELSE '' END AS utmmedium,
    CASE WHEN among(i, 75, 100) = 0 THEN CAST(among(i, 77, 2000) AS varchar) ELSE '' END AS utmcampaign,
    CASE WHEN among(i, 75, 100) = 0 THEN CAST(among(i, 78, 900) AS varchar) ELSE '' END AS utmcontent,
    CASE WHEN among(i, 75, 100) = 0 THEN latin(among(i, 79, 36)) ELSE '' END AS utmterm,
    CASE WHEN among(i, 80, 100) = 0 THEN 'from-' || among(i, 81, 30) ELSE '' END AS fromtag,
    seldom(i, 82, 1) AS hasgclid,
    CASE WHEN origin = 'http://example.ru/from' THEN 3594120000172545465 ELSE positive(hash(origin)) END
        AS refererhash,
    CASE WHEN address = 'http://example.ru/chosen' THEN 2868770270353813622 ELSE positive(hash(address)) END
        AS urlhash,
    among(i, 83, 1000000)::integer AS clid
FROM steps.places;
